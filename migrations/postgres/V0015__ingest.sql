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

-- Uses functions: ingest/settle_failure_once
CREATE TRIGGER only_settled BEFORE UPDATE OR DELETE ON engine.failure_log FOR EACH ROW EXECUTE FUNCTION engine.settle_failure_once();
CREATE TRIGGER only_settled_whole BEFORE TRUNCATE ON engine.failure_log FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change();
