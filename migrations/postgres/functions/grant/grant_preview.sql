-- What a grant on a node would open, node by node, for the owner: counts of records and items, the latest titles,
-- how many records stay closed because they are private, and records placed with less confidence than `p_below`, least sure first.
CREATE OR REPLACE FUNCTION engine.grant_preview(p_node uuid, p_depth integer, p_below real, p_titles integer)
RETURNS TABLE (node_id uuid, path text[], records bigint, items bigint, private_records bigint, titles text[], unsure jsonb)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    IF NOT EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_node AND n.user_id = engine.principal_user()
                                                   AND n.state = 'live' AND n.known_to IS NULL) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    FOR place IN
        SELECT n.node_id, n.schema_name,
               (SELECT array_agg(p.name ORDER BY p.layer) FROM engine.nodes AS p WHERE p.node_id = ANY (n.lineage)) AS path
        FROM engine.nodes AS n
        WHERE n.user_id = engine.principal_user() AND p_node = ANY (n.lineage) AND n.state = 'live' AND n.known_to IS NULL
          AND cardinality(n.lineage) - array_position(n.lineage, p_node) <= p_depth
        ORDER BY n.layer, n.created_at, n.node_id LIMIT 200
    LOOP
        RETURN QUERY EXECUTE format(
            'WITH held AS MATERIALIZED (
                 SELECT record_id, title, privacy, coalesce(occurred_at, created_at) AS at FROM %1$I.metadata_records
                 WHERE state = ''live'' AND known_to IS NULL AND (valid_to IS NULL OR valid_to > now()) AND version_of IS NULL)
             SELECT $1, $2, (SELECT count(*) FROM held WHERE privacy = ''org''),
                    (SELECT count(*) FROM %1$I.memory_items AS i JOIN held AS h USING (record_id)
                     WHERE h.privacy = ''org'' AND i.known_to IS NULL AND (i.valid_to IS NULL OR i.valid_to > now()) AND i.category <> ''whole'' AND version_of IS NULL),
                    (SELECT count(*) FROM held WHERE privacy <> ''org''),
                    ARRAY(SELECT title FROM held WHERE privacy = ''org'' ORDER BY at DESC, record_id LIMIT $5),
                    coalesce((SELECT jsonb_agg(to_jsonb(d)) FROM (
                        SELECT a.entry_id, a.record_id, h.title, round(a.confidence::numeric, 3)::float8 AS confidence, a.decided_by,
                               coalesce(string_to_array(nullif(a.reasons ->> ''runner_up'', ''''), ''/''), $2[2:cardinality($2) - 1]) AS suggested
                        FROM engine.assignments AS a JOIN held AS h USING (record_id)
                        WHERE a.user_id = engine.principal_user() AND a.node_id = $1 AND a.confidence < $3 AND a.decided_by <> ''hand''
                          AND h.privacy = ''org''
                          AND NOT EXISTS (SELECT FROM engine.assignments AS b WHERE b.record_id = a.record_id AND b.entry_id > a.entry_id)
                        ORDER BY a.confidence, a.entry_id LIMIT $4) AS d), ''[]'')',
            place.schema_name)
        USING place.node_id, place.path, p_below, 50, p_titles;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.grant_preview TO neurigraph_request;
