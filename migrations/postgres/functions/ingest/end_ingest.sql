-- Ends a session. `p_skipped`: source_id, reason, and stage, cause, reference of each failure; p_count: the number of all that was skipped.
CREATE OR REPLACE FUNCTION engine.end_ingest(p_session uuid, p_state text, p_failure text, p_count integer, p_skipped jsonb, p_now timestamptz)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    bad integer := (SELECT count(*) FROM jsonb_array_elements(p_skipped) AS e WHERE e ->> 'cause' <> '');
BEGIN
    UPDATE engine.ingest_sessions AS s
    SET state = p_state, touched_at = p_now, ended_at = p_now, failure = left(p_failure, 600), skipped = p_count - bad, failed = bad
    WHERE s.session_id = p_session AND s.user_id = engine.principal_graph() AND s.actor_id = engine.principal_id();
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such session.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.ingest_sources (session_id, user_id, noted_at, source_id, outcome, reason)
    SELECT p_session, engine.principal_graph(), p_now, e ->> 'source_id', CASE WHEN e ->> 'cause' = '' THEN 'skipped' ELSE 'failed' END,
           left(e ->> 'reason', 600)
    FROM jsonb_array_elements(p_skipped) AS e;
    PERFORM engine.log_failure(p_session, e ->> 'stage', e ->> 'cause', e ->> 'reason', e ->> 'source_id', e -> 'reference', p_now)
    FROM jsonb_array_elements(p_skipped) AS e WHERE e ->> 'cause' <> '';
END $$;
GRANT EXECUTE ON FUNCTION engine.end_ingest TO neurigraph_request;
