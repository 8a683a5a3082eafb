-- Returns which of these nodes of a graph (NULL: all) are damaged: by the catalog, or, if that finds nothing and `p_rows`, by reading each
-- node. With the caller's rights: nodes hidden from the caller are skipped.
CREATE OR REPLACE FUNCTION engine.damaged_nodes(p_user uuid, p_nodes uuid[], p_rows boolean, p_query vector, p_version text)
RETURNS TABLE (node_id uuid, reason text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
    none sparsevec := '{}/1000000';
BEGIN
    RETURN QUERY SELECT d.node_id, d.damage FROM (
        SELECT n.node_id, engine.node_damage(n.schema_name, n.template_version) AS damage FROM engine.nodes AS n
        WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live') AS d
    WHERE d.damage IS NOT NULL;
    IF FOUND OR NOT p_rows THEN
        RETURN;
    END IF;
    FOR node IN SELECT n.* FROM engine.nodes AS n
                WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live'
    LOOP
        BEGIN
            EXECUTE format('SELECT count(length(i.content) + length(r.title || r.summary)) FROM %1$I.memory_items AS i'
                           ' JOIN %1$I.metadata_records AS r USING (record_id) LEFT JOIN %1$I.file_manifest AS f USING (record_id)', node.schema_name);
            PERFORM count(s.words + s.meaning + s.record_words) FROM engine.search_scan(
                ARRAY[node.node_id], ARRAY[node.schema_name], p_query, p_version, none, none, NULL, NULL, '{}',
                now(), 'infinity', '{}') AS s;  -- filters that leave nothing out: all items are read
        EXCEPTION
            WHEN undefined_function OR insufficient_resources OR operator_intervention THEN
                RAISE;
            WHEN OTHERS THEN
                node_id := node.node_id;
                reason := format('its rows cannot be read (%s)', SQLSTATE);
                RETURN NEXT;
        END;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.damaged_nodes TO neurigraph_request;
