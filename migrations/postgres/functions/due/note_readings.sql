-- Notes records that a model is to read, in the transaction that writes them; one that is noted begins again. All arrays have one length.
CREATE OR REPLACE FUNCTION engine.note_readings(p_records uuid[], p_nodes uuid[], p_reasons text[], p_now timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO engine.due (derivation, node_id, record_id, reason, since, next_at)
    SELECT 'reading', u.node_id, u.record_id, left(u.reason, 600), p_now, p_now
    FROM unnest(p_records, p_nodes, p_reasons) AS u (record_id, node_id, reason)
    WHERE engine.can('write', u.node_id) ORDER BY u.record_id
    ON CONFLICT (derivation, record_id) WHERE record_id <> '00000000-0000-0000-0000-000000000000' DO UPDATE
    SET node_id = excluded.node_id, reason = excluded.reason, since = p_now, attempts = 0, next_at = p_now
    WHERE (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = engine.due.node_id) = engine.principal_graph();
END;
GRANT EXECUTE ON FUNCTION engine.note_readings TO neurigraph_request;
