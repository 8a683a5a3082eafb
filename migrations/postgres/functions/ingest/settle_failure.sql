-- Settles an entry: a user one of its own graph, the service one without a user. Repeating it changes nothing. NG404, NG409.
CREATE OR REPLACE FUNCTION engine.settle_failure(p_failure uuid, p_state text, p_note text, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry engine.failure_log;
BEGIN
    SELECT * INTO entry FROM engine.failure_log AS f WHERE f.failure_id = p_failure AND f.user_id IS NOT DISTINCT FROM
        CASE WHEN session_user = 'neurigraph_request' THEN engine.principal_user() END FOR UPDATE;
    IF entry.failure_id IS NULL OR session_user = 'neurigraph_request' AND entry.user_id IS NULL THEN
        RAISE EXCEPTION 'There is no such failure.' USING ERRCODE = 'NG404';
    ELSIF entry.state = 'open' THEN
        UPDATE engine.failure_log AS f SET state = p_state, settled_at = p_now, note = p_note WHERE f.failure_id = p_failure;
    ELSIF entry.state <> p_state THEN
        RAISE EXCEPTION 'The failure is already settled.' USING ERRCODE = 'NG409';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.settle_failure TO neurigraph_request;
