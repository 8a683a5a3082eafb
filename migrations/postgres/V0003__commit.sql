-- One commit over three stores. The content is committed with a row in the outbox that says what the graph
-- still has to learn; the graph learns it, then the content is marked live and the row done. Whatever a
-- crash leaves is a pending row, and is finished from there: at start, and by a job.

CREATE TABLE engine.outbox (
    commit_id    uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES engine.users,
    kind         text NOT NULL CHECK (kind IN ('node', 'records')),
    payload      jsonb NOT NULL,
    state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done')),
    created_at   timestamptz NOT NULL DEFAULT now(),
    done_at      timestamptz,
    attempts     integer NOT NULL DEFAULT 0,
    last_failure text,
    CHECK ((state = 'done') = (done_at IS NOT NULL))
);
CREATE INDEX outbox_pending ON engine.outbox (created_at) WHERE state = 'pending';
CREATE INDEX outbox_user ON engine.outbox (user_id, created_at);
ALTER TABLE engine.outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.outbox TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.outbox TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT ON engine.outbox TO neurigraph_request;

-- What has been taken in from where: a source's units (turns, or 1 for a file) are stored once, in order.
CREATE TABLE engine.sources (
    user_id      uuid NOT NULL REFERENCES engine.users,
    source_id    text NOT NULL CHECK (char_length(source_id) BETWEEN 1 AND 500),
    units        integer NOT NULL CHECK (units > 0),
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    commit_id    uuid NOT NULL,
    updated_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, source_id)
);
ALTER TABLE engine.sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.sources FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.sources TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.sources TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE ON engine.sources TO neurigraph_request;

-- Answers of writes that came with an idempotency key, so that a repeated request gets the same answer.
CREATE TABLE engine.idempotency (
    user_id      uuid NOT NULL REFERENCES engine.users,
    key          text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
    request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
    answer       jsonb,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, key)
);
ALTER TABLE engine.idempotency ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.idempotency FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.idempotency TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.idempotency TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT, UPDATE ON engine.idempotency TO neurigraph_request;

-- Events of the hierarchy worth keeping: a node asked for below layer 5, what was done instead.
CREATE TABLE engine.hierarchy_log (
    event_id    uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id     uuid NOT NULL REFERENCES engine.users,
    node_id     uuid NOT NULL REFERENCES engine.nodes,
    event       text NOT NULL CHECK (event IN ('too_deep')),
    detail      jsonb NOT NULL,
    occurred_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE engine.hierarchy_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.hierarchy_log FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.hierarchy_log TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.hierarchy_log TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())) WITH CHECK (user_id = (SELECT engine.principal_user()));
GRANT SELECT, INSERT ON engine.hierarchy_log TO neurigraph_request;
