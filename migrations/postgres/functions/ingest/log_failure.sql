-- Adds a failure to the log, or counts a repeated one. Only the owner names a file to read again; an entry is changed only by
-- principals that handle it.
CREATE OR REPLACE FUNCTION engine.log_failure(p_session uuid, p_stage text, p_cause text, p_detail text, p_subject text, p_reference jsonb,
                                              p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reference jsonb := p_reference;
BEGIN
    IF session_user = 'neurigraph_request' AND (engine.principal_graph() IS NULL OR p_stage = 'job') THEN
        RAISE EXCEPTION 'There is no such graph.' USING ERRCODE = 'NG404';
    END IF;
    IF session_user = 'neurigraph_request' AND engine.principal_kind() <> 'user' THEN
        reference := p_reference - 'path';
    END IF;
    INSERT INTO engine.failure_log AS f (user_id, session_id, stage, cause, detail, subject, reference, first_at, last_at)
    VALUES (engine.failing_user(), p_session, p_stage, p_cause, left(p_detail, 600), left(p_subject, 500), reference, p_now, p_now)
    ON CONFLICT (user_id, stage, subject) WHERE state = 'open'
    DO UPDATE SET attempts = f.attempts + 1, last_at = p_now, cause = p_cause, detail = left(p_detail, 600), session_id = p_session,
                  reference = CASE WHEN excluded.reference ? 'path' THEN excluded.reference ELSE f.reference END
    WHERE engine.handles_failure(f.session_id);
END $$;
GRANT EXECUTE ON FUNCTION engine.log_failure TO neurigraph_request;
