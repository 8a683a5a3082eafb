-- Begins a session, or resumes the one with the same key; not one that was forgotten (NG425). `p_came`: sources, turns, files, again (also one that was forgotten).
CREATE OR REPLACE FUNCTION engine.begin_ingest(p_session uuid, p_key text, p_came jsonb, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF engine.principal_graph() IS NULL THEN
        RAISE EXCEPTION 'There is no such graph.' USING ERRCODE = 'NG404';
    END IF;
    IF p_key IS NOT NULL THEN
        IF (p_came ->> 'again')::boolean THEN
            PERFORM engine.store_again('session', ARRAY[p_key]);
        END IF;
        PERFORM engine.refuse_forgotten('session', ARRAY[p_key]);
    END IF;
    INSERT INTO engine.ingest_sessions AS s (session_id, user_id, actor_kind, actor_id, key, started_at, touched_at, sources_in, turns_in, files_in)
    VALUES (p_session, engine.principal_graph(), engine.principal_kind(), engine.principal_id(), p_key, p_now, p_now,
            (p_came ->> 'sources')::integer, (p_came ->> 'turns')::integer, (p_came ->> 'files')::integer)
    ON CONFLICT (session_id) DO UPDATE
    SET state = 'running', attempt = s.attempt + 1, touched_at = p_now, ended_at = NULL, failure = NULL,
        sources_in = excluded.sources_in, turns_in = excluded.turns_in, files_in = excluded.files_in, skipped = 0, failed = 0
    WHERE s.user_id = excluded.user_id AND s.actor_id = excluded.actor_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such session.' USING ERRCODE = 'NG404';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.begin_ingest TO neurigraph_request;
