-- Marks nodes as lacking vectors, in the transaction that writes there: the job that makes the vectors waits for its end.
CREATE OR REPLACE FUNCTION engine.note_pending_vectors(p_nodes uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO engine.pending_vectors (node_id)
    SELECT DISTINCT n.id FROM unnest(p_nodes) AS n (id)
    WHERE session_user <> 'neurigraph_request' OR engine.can('write', n.id) ORDER BY 1
    ON CONFLICT (node_id) DO UPDATE SET noted_at = clock_timestamp();
END;
GRANT EXECUTE ON FUNCTION engine.note_pending_vectors TO neurigraph_request;
