-- The records, items, nodes and edges that changed in a span of time, one page. A moved subject is listed at its present node.
-- An edge is called `relation` in the log of a node whose tables are older than version 8.
CREATE OR REPLACE FUNCTION engine.subjects_changed(p_user uuid, p_node uuid, p_subject uuid, p_from timestamptz, p_to timestamptz,
                                                   p_after_node uuid, p_after_subject uuid, p_most integer)
RETURNS TABLE (node_id uuid, subject_id uuid, subject_kind text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node record;
    found integer := 0;
    got integer;
BEGIN
    FOR node IN SELECT n.node_id AS id, n.schema_name AS place, n.created_at > p_from AND n.created_at <= p_to AS fresh FROM engine.nodes AS n
                WHERE n.user_id = p_user AND n.state = 'live' AND (p_node IS NULL OR n.node_id = p_node)
                  AND n.node_id >= coalesce(p_after_node, n.node_id) ORDER BY n.node_id
    LOOP
        EXIT WHEN found >= p_most;
        RETURN QUERY EXECUTE format(
            'SELECT $1, c.subject_id, c.subject_kind FROM (
                 SELECT subject_id, CASE subject_kind WHEN ''relation'' THEN ''edge'' ELSE subject_kind END AS subject_kind FROM %1$I.delta_log
                 WHERE created_at > $2 AND created_at <= $3 OR w_coordinate > $2 AND w_coordinate <= $3
                 UNION SELECT $1, ''node'' WHERE $6) AS c
             WHERE ($4 IS NULL OR c.subject_id > $4) AND ($7 IS NULL OR c.subject_id = $7) AND CASE c.subject_kind
                 WHEN ''record'' THEN EXISTS (SELECT FROM %1$I.metadata_records AS r WHERE r.record_id = c.subject_id)
                 WHEN ''item'' THEN EXISTS (SELECT FROM %1$I.memory_items AS i WHERE i.item_id = c.subject_id)
                 ELSE true END
             ORDER BY c.subject_id LIMIT $5', node.place)
        USING node.id, p_from, p_to, CASE WHEN node.id = p_after_node THEN p_after_subject END, p_most - found, node.fresh, p_subject;
        GET DIAGNOSTICS got = ROW_COUNT;
        found := found + got;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.subjects_changed TO neurigraph_request;
