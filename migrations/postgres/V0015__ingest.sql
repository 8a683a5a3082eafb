-- What an ingest leaves to be looked at: its session, the vectors that are still to be made, what failed for good.

-- Nodes where something was written without its vectors, because the embedding service did not answer or a limit was
-- reached. Looked at by the service alone. A node is noted before its shell is written, so there is no reference.
CREATE TABLE engine.pending_vectors (
    node_id  uuid PRIMARY KEY,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX pending_vectors_oldest ON engine.pending_vectors (noted_at);
ALTER TABLE engine.pending_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.pending_vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.pending_vectors TO CURRENT_USER USING (true) WITH CHECK (true);

-- Notes nodes in the transaction that writes there: who makes the vectors waits for its end.
CREATE FUNCTION engine.note_pending_vectors(p_nodes uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
BEGIN ATOMIC
    INSERT INTO engine.pending_vectors (node_id)
    SELECT DISTINCT n.id FROM unnest(p_nodes) AS n (id)
    WHERE session_user <> 'neurigraph_request' OR engine.can('write', n.id) ORDER BY 1
    ON CONFLICT (node_id) DO UPDATE SET noted_at = clock_timestamp();
END;
REVOKE ALL ON FUNCTION engine.note_pending_vectors FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.note_pending_vectors TO neurigraph_request;

-- Strikes a node off where nothing lacks a vector of the active version any more; whether it is struck off. Service only.
CREATE FUNCTION engine.settle_pending_vectors(p_node uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '5s' AS $$
DECLARE
    node engine.nodes;
    label text := CASE engine.embedding_slot(engine.active_embeddings()) WHEN 'a' THEN 'embedding_version' ELSE 'embedding_b_version' END;
    missing boolean;
BEGIN
    PERFORM FROM engine.pending_vectors AS p WHERE p.node_id = p_node FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;  -- somebody writes there, or it is done
    END IF;
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    IF node.node_id IS NULL THEN  -- noted for a shell that was never registered
        DELETE FROM engine.pending_vectors AS p WHERE p.node_id = p_node AND p.noted_at < clock_timestamp() - interval '1 hour';
        RETURN FOUND;
    END IF;
    IF node.state <> 'live' OR label = 'embedding_b_version' AND node.template_version < 4 THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I.memory_items WHERE %2$I IS DISTINCT FROM $1)'
                   ' OR EXISTS (SELECT FROM %1$I.metadata_records WHERE %2$I IS DISTINCT FROM $1)', node.schema_name, label)
    INTO missing USING engine.active_embeddings();
    IF NOT missing THEN
        EXECUTE format('UPDATE %I.metadata_records SET embedding_pending = false WHERE embedding_pending', node.schema_name);
        DELETE FROM engine.pending_vectors AS p WHERE p.node_id = p_node;
    END IF;
    RETURN NOT missing;
END $$;
REVOKE ALL ON FUNCTION engine.settle_pending_vectors FROM PUBLIC;

-- Ingest sessions: what came in and what became of it. The counts move in the transactions of the commits, so they are
-- those of what is stored, whenever a process dies.
CREATE TABLE engine.ingest_sessions (
    session_id   uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    actor_kind   text NOT NULL,
    actor_id     uuid NOT NULL,
    key          text CHECK (char_length(key) BETWEEN 1 AND 500),
    state        text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    attempt      integer NOT NULL DEFAULT 1,
    started_at   timestamptz NOT NULL,
    touched_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    sources_in   integer NOT NULL,
    turns_in     integer NOT NULL,
    files_in     integer NOT NULL,
    turns        integer NOT NULL DEFAULT 0,
    files        integer NOT NULL DEFAULT 0,
    records      integer NOT NULL DEFAULT 0,
    items        integer NOT NULL DEFAULT 0,
    superseded   integer NOT NULL DEFAULT 0,
    skipped      integer NOT NULL DEFAULT 0,
    failed       integer NOT NULL DEFAULT 0,
    pending      integer NOT NULL DEFAULT 0,  -- records that were written without vectors
    failure      text CHECK (char_length(failure) <= 600),
    CHECK ((state = 'running') = (ended_at IS NULL)),
    CHECK (state = 'failed' OR failure IS NULL)
);
CREATE INDEX ingest_sessions_of_user ON engine.ingest_sessions (user_id, started_at, session_id);
CREATE INDEX ingest_sessions_running ON engine.ingest_sessions (touched_at) WHERE state = 'running';
ALTER TABLE engine.ingest_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.ingest_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.ingest_sessions TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.ingest_sessions FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.ingest_sessions TO neurigraph_request;

-- What became of each source of a session. Only grows. What was stored already before is counted, not listed.
CREATE TABLE engine.ingest_sources (
    entry_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id   uuid NOT NULL REFERENCES engine.ingest_sessions,
    user_id      uuid NOT NULL,
    noted_at     timestamptz NOT NULL,
    source_id    text NOT NULL,
    outcome      text NOT NULL CHECK (outcome IN ('stored', 'skipped', 'failed')),
    reason       text NOT NULL DEFAULT '' CHECK (char_length(reason) <= 600),
    content_hash bytea,
    first_unit   integer,
    units        integer,
    commit_id    uuid,
    records      uuid[] NOT NULL DEFAULT '{}',
    superseded   uuid[] NOT NULL DEFAULT '{}'
);
CREATE INDEX ingest_sources_of_session ON engine.ingest_sources (session_id, entry_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON engine.ingest_sources
    FOR EACH ROW EXECUTE FUNCTION engine.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON engine.ingest_sources
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
ALTER TABLE engine.ingest_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.ingest_sources FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.ingest_sources TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.ingest_sources FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.ingest_sources TO neurigraph_request;

-- What failed for good: where, why by the name of our error, what it was about. Never the content. Jobs have no user.
CREATE TABLE engine.failure_log (
    failure_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id    uuid REFERENCES engine.users,
    session_id uuid,
    stage      text NOT NULL CHECK (stage IN ('read', 'draft', 'commit', 'ingest', 'job')),
    cause      text NOT NULL CHECK (char_length(cause) <= 100),
    detail     text NOT NULL CHECK (char_length(detail) <= 600),
    subject    text NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 500),  -- a source, a session, or a job
    reference  jsonb NOT NULL DEFAULT '{}',
    attempts   integer NOT NULL DEFAULT 1,
    first_at   timestamptz NOT NULL,
    last_at    timestamptz NOT NULL,
    state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'replayed', 'dismissed')),
    settled_at timestamptz,
    note       text NOT NULL DEFAULT '' CHECK (char_length(note) <= 500),
    CHECK ((state = 'open') = (settled_at IS NULL))
);
CREATE UNIQUE INDEX failure_open ON engine.failure_log (user_id, stage, subject) NULLS NOT DISTINCT WHERE state = 'open';
CREATE INDEX failure_of_user ON engine.failure_log (user_id, first_at, failure_id);
ALTER TABLE engine.failure_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.failure_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.failure_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.failure_log FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.failure_log TO neurigraph_request;

-- An open entry counts attempts and is settled once; nothing else of it changes, ever.
CREATE FUNCTION engine.settle_failure_once() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP <> 'UPDATE' OR OLD.state <> 'open'
       OR to_jsonb(OLD) - '{attempts,last_at,cause,detail,session_id,state,settled_at,note}'::text[]
          <> to_jsonb(NEW) - '{attempts,last_at,cause,detail,session_id,state,settled_at,note}'::text[] THEN
        RAISE EXCEPTION 'A failure can only be settled, once.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER only_settled BEFORE UPDATE OR DELETE ON engine.failure_log FOR EACH ROW EXECUTE FUNCTION engine.settle_failure_once();
CREATE TRIGGER only_settled_whole BEFORE TRUNCATE ON engine.failure_log FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();

-- Whose entry is written: the graph's of the principal; for the service nobody's.
CREATE FUNCTION engine.failing_user() RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN CASE WHEN session_user = 'neurigraph_request' THEN engine.principal_graph() END;
REVOKE ALL ON FUNCTION engine.failing_user FROM PUBLIC;

CREATE FUNCTION engine.log_failure(p_session uuid, p_stage text, p_cause text, p_detail text, p_subject text, p_reference jsonb,
                                   p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF session_user = 'neurigraph_request' AND (engine.principal_graph() IS NULL OR p_stage = 'job') THEN
        RAISE EXCEPTION 'There is no such graph.' USING ERRCODE = 'NG404';
    END IF;
    INSERT INTO engine.failure_log AS f (user_id, session_id, stage, cause, detail, subject, reference, first_at, last_at)
    VALUES (engine.failing_user(), p_session, p_stage, p_cause, left(p_detail, 600), left(p_subject, 500), p_reference, p_now, p_now)
    ON CONFLICT (user_id, stage, subject) WHERE state = 'open'
    DO UPDATE SET attempts = f.attempts + 1, last_at = p_now, cause = p_cause, detail = left(p_detail, 600), session_id = p_session;
END $$;
REVOKE ALL ON FUNCTION engine.log_failure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.log_failure TO neurigraph_request;

-- Settles an entry: of the own graph for its user, of nobody for the service. Again, nothing changes. NG404, NG409.
CREATE FUNCTION engine.settle_failure(p_failure uuid, p_state text, p_note text, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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
        RAISE EXCEPTION 'It is settled already.' USING ERRCODE = 'NG409';
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.settle_failure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.settle_failure TO neurigraph_request;

-- Begins a session, or takes one up again that has the same key. `p_came`: sources, turns, files.
CREATE FUNCTION engine.begin_ingest(p_session uuid, p_key text, p_came jsonb, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF engine.principal_graph() IS NULL THEN
        RAISE EXCEPTION 'There is no such graph.' USING ERRCODE = 'NG404';
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
REVOKE ALL ON FUNCTION engine.begin_ingest FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.begin_ingest TO neurigraph_request;

-- Adds one commit to its session, in the transaction of the commit. `p_counts`: turns, files, records, items, pending.
-- `p_sources`: source_id, content_hash (hex), first_unit, units, records, superseded of each. What failed before is settled.
CREATE FUNCTION engine.note_ingested(p_session uuid, p_commit uuid, p_counts jsonb, p_sources jsonb, p_now timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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
      AND f.subject IN (SELECT e ->> 'source_id' FROM jsonb_array_elements(p_sources) AS e);
END $$;
REVOKE ALL ON FUNCTION engine.note_ingested FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.note_ingested TO neurigraph_request;

-- Ends a session. `p_skipped`: source_id, reason, and stage, cause, reference of what failed; p_count is all that was skipped.
CREATE FUNCTION engine.end_ingest(p_session uuid, p_state text, p_failure text, p_count integer, p_skipped jsonb, p_now timestamptz)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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
REVOKE ALL ON FUNCTION engine.end_ingest FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.end_ingest TO neurigraph_request;
