-- Adds what one commit of an ingest stored to its session; settles earlier failures of it that the principal handles.
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
GRANT EXECUTE ON FUNCTION engine.note_ingested TO neurigraph_request;
