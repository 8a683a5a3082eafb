-- An open failure of a file keeps how the file was asked for the last time, not the first: what was open to others and is asked for
-- again as private is read again as private.

-- An open entry counts attempts, keeps how its source was asked for last, and is settled once; nothing else of it changes, ever.
CREATE OR REPLACE FUNCTION engine.settle_failure_once() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP <> 'UPDATE' OR OLD.state <> 'open'
       OR to_jsonb(OLD) - '{attempts,last_at,cause,detail,session_id,reference,state,settled_at,note}'::text[]
          <> to_jsonb(NEW) - '{attempts,last_at,cause,detail,session_id,reference,state,settled_at,note}'::text[] THEN
        RAISE EXCEPTION 'A failure can only be settled, once.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION engine.log_failure(p_session uuid, p_stage text, p_cause text, p_detail text, p_subject text, p_reference jsonb,
                                              p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF session_user = 'neurigraph_request' AND (engine.principal_graph() IS NULL OR p_stage = 'job') THEN
        RAISE EXCEPTION 'There is no such graph.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.failure_log AS f (user_id, session_id, stage, cause, detail, subject, reference, first_at, last_at)
    VALUES (engine.failing_user(), p_session, p_stage, p_cause, left(p_detail, 600), left(p_subject, 500), p_reference, p_now, p_now)
    ON CONFLICT (user_id, stage, subject) WHERE state = 'open'
    DO UPDATE SET attempts = f.attempts + 1, last_at = p_now, cause = p_cause, detail = left(p_detail, 600), session_id = p_session,
                  reference = CASE WHEN p_reference ? 'path' THEN p_reference ELSE f.reference END;
END $$;
