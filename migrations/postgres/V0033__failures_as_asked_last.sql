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

-- Whether a failure is for the principal to count on or to settle: the service's and the user's are all of a graph, a persona's those
-- of its own sessions.
CREATE FUNCTION engine.handles_failure(p_session uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT session_user <> 'neurigraph_request' OR engine.principal_kind() = 'user'
        OR EXISTS (SELECT FROM engine.ingest_sessions AS s WHERE s.session_id = p_session AND s.actor_id = engine.principal_id())
$$;
REVOKE ALL ON FUNCTION engine.handles_failure FROM PUBLIC;

-- As before, but a file to read again is named by the user alone, and an entry is changed by those who handle it.
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

-- As before, but what failed before is settled by those who handle it.
CREATE OR REPLACE FUNCTION engine.note_ingested(p_session uuid, p_commit uuid, p_counts jsonb, p_sources jsonb, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    gone integer := (SELECT count(*) FROM jsonb_array_elements(p_sources) AS e, jsonb_array_elements(e -> 'superseded'));
BEGIN
    UPDATE engine.ingest_sessions AS s
    SET touched_at = p_now, turns = turns + (p_counts ->> 'turns')::integer, files = files + (p_counts ->> 'files')::integer,
        records = records + (p_counts ->> 'records')::integer, items = items + (p_counts ->> 'items')::integer,
        pending = pending + (p_counts ->> 'pending')::integer, superseded = superseded + gone
    WHERE s.session_id = p_session AND s.user_id = engine.principal_graph() AND s.actor_id = engine.principal_id();
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such session.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.ingest_sources (session_id, user_id, noted_at, source_id, outcome, content_hash, first_unit, units, commit_id, records, superseded)
    SELECT p_session, engine.principal_graph(), p_now, e ->> 'source_id', 'stored', decode(e ->> 'content_hash', 'hex'),
           (e ->> 'first_unit')::integer, (e ->> 'units')::integer, p_commit,
           ARRAY(SELECT jsonb_array_elements_text(e -> 'records')::uuid), ARRAY(SELECT jsonb_array_elements_text(e -> 'superseded')::uuid)
    FROM jsonb_array_elements(p_sources) AS e;
    UPDATE engine.failure_log AS f SET state = 'replayed', settled_at = p_now
    WHERE f.user_id = engine.principal_graph() AND f.state = 'open' AND f.stage IN ('read', 'draft', 'commit')
      AND f.subject IN (SELECT e ->> 'source_id' FROM jsonb_array_elements(p_sources) AS e) AND engine.handles_failure(f.session_id);
END $$;
