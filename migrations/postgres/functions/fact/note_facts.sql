-- Notes that items of kind fact came to these nodes, ended or came back otherwise than by a commit of records: a job looks at them.
CREATE OR REPLACE FUNCTION engine.note_facts(p_nodes uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO engine.unchained_facts (node_id)
    SELECT DISTINCT n.id FROM unnest(p_nodes) AS n (id)
    WHERE session_user <> 'neurigraph_request' OR engine.can('write', n.id) ORDER BY 1
    ON CONFLICT (node_id) DO UPDATE SET noted_at = clock_timestamp();
END;
GRANT EXECUTE ON FUNCTION engine.note_facts TO neurigraph_request;
