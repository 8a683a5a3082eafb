-- Marks records as unread, in the transaction that writes them; a marked record starts again. All arrays have one length.
CREATE OR REPLACE FUNCTION engine.note_unread(p_records uuid[], p_nodes uuid[], p_reasons text[], p_now timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO engine.unread_records (record_id, user_id, node_id, reason, noted_at, next_attempt)
    SELECT u.record_id, engine.principal_graph(), u.node_id, left(u.reason, 600), p_now, p_now
    FROM unnest(p_records, p_nodes, p_reasons) AS u (record_id, node_id, reason)
    WHERE engine.can('write', u.node_id) ORDER BY u.record_id
    ON CONFLICT (record_id) DO UPDATE
    SET node_id = excluded.node_id, reason = excluded.reason, noted_at = p_now, attempts = 0, next_attempt = p_now
    WHERE engine.unread_records.user_id = excluded.user_id;
END;
GRANT EXECUTE ON FUNCTION engine.note_unread TO neurigraph_request;
