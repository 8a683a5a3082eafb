-- Notes the nodes whose records or items a commit changes, when it is visible, or when what it wrote in Postgres stays without its part of
-- the graph. Service only.
CREATE OR REPLACE FUNCTION engine.note_content(p_work engine.outbox) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF p_work.kinds && ARRAY['records', 'record_revised', 'record_retracted', 'record_reworded', 'facts'] THEN
        PERFORM engine.note_needing('content', ARRAY(
            SELECT (v #>> '{}')::uuid FROM engine.graph_changes(p_work.kind, p_work.payload) AS c, jsonb_path_query(c.change, '$.*.node_id') AS v
            WHERE c.kind IN ('records', 'record_revised', 'record_retracted', 'record_reworded', 'facts') AND pg_input_is_valid(v #>> '{}', 'uuid')));
    END IF;
END $$;
