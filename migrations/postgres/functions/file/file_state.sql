-- The state of a file, for a principal that may read it. `failure`: why the last restoration failed, if it did.
CREATE OR REPLACE FUNCTION engine.file_state(p_node uuid, p_file uuid)
RETURNS TABLE (state text, since timestamptz, due_at timestamptz, by_hand boolean, failure text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM engine.schema_of_file('read', p_node, p_file);
    RETURN QUERY
        SELECT coalesce(a.state, 'dormant'), coalesce(a.since, l.occurred_at), a.due_at, coalesce(a.by_hand, false),
               CASE WHEN a.file_id IS NULL AND l.trigger = 'error' THEN l.detail END
        FROM (VALUES (p_node, p_file)) AS asked (node_id, file_id)
        LEFT JOIN engine.awake_files AS a USING (node_id, file_id)
        LEFT JOIN LATERAL (SELECT e.occurred_at, e.trigger, e.detail FROM engine.compression_state_log AS e
                           WHERE e.node_id = p_node AND e.file_id = p_file AND e.trigger <> 'review'
                           ORDER BY e.entry_id DESC LIMIT 1) AS l ON true;
END $$;
GRANT EXECUTE ON FUNCTION engine.file_state TO neurigraph_request;
