-- The shared schema `engine`: workspaces, users, the registry of nodes, and who may do what.
--
-- Roles. The migrating role owns everything and acts as the service (migrations, recovery, jobs). The role
-- neurigraph_request serves people's requests: it owns nothing, bypasses nothing, and sees only what the
-- principal of its transaction may see (engine.principal_kind, engine.principal_id: set with SET LOCAL).
--
-- Invariants that this file holds:
--   a user has one root, on layer 0; any other node has one parent, of the same user, one layer above;
--   no node lies below layer 5; schema names are unique and fit Postgres; sibling names are unique;
--   nodes carry two intervals: when they held (valid_*) and when the engine knew it (known_*).

CREATE EXTENSION IF NOT EXISTS vector;

DO $$  -- the role is there before: who migrates may not make roles (engine/stores/roles.py)
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'neurigraph_request') THEN
        RAISE EXCEPTION 'There is no role neurigraph_request.';
    END IF;
END $$;

CREATE SCHEMA engine;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO neurigraph_request;  -- the vector types live here
GRANT USAGE ON SCHEMA engine TO neurigraph_request;

CREATE TABLE engine.workspaces (
    workspace_id uuid PRIMARY KEY,
    name         text NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE engine.users (
    user_id      uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES engine.workspaces,
    handle       text NOT NULL CHECK (char_length(handle) BETWEEN 1 AND 200),
    display_name text NOT NULL CHECK (char_length(display_name) BETWEEN 1 AND 200),
    database     text NOT NULL DEFAULT current_database(),  -- so that users can be spread later
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (workspace_id, handle)
);

CREATE TABLE engine.nodes (
    node_id          uuid PRIMARY KEY,
    user_id          uuid NOT NULL REFERENCES engine.users,
    parent_id        uuid,
    name             text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    name_key         text NOT NULL,
    node_type        text NOT NULL CHECK (node_type IN ('user', 'concept', 'persona')),
    layer            smallint NOT NULL CHECK (layer BETWEEN 0 AND 5),
    parent_layer     smallint GENERATED ALWAYS AS (CASE WHEN layer > 0 THEN layer - 1 END) STORED,
    schema_name      text NOT NULL UNIQUE CHECK (octet_length(schema_name) BETWEEN 1 AND 63),
    state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'live')),
    template_version integer NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    valid_from       timestamptz NOT NULL DEFAULT '-infinity',
    valid_to         timestamptz,
    known_from       timestamptz NOT NULL DEFAULT now(),
    known_to         timestamptz,
    CHECK ((layer = 0) = (parent_id IS NULL)),
    CHECK ((layer = 0) = (node_type = 'user')),
    CHECK (valid_to IS NULL OR valid_to > valid_from),
    UNIQUE (node_id, user_id, layer),
    UNIQUE (user_id, parent_id, name_key),
    FOREIGN KEY (parent_id, user_id, parent_layer) REFERENCES engine.nodes (node_id, user_id, layer)
);
CREATE UNIQUE INDEX one_root_per_user ON engine.nodes (user_id) WHERE layer = 0;
CREATE INDEX nodes_pending ON engine.nodes (created_at) WHERE state = 'pending';

ALTER TABLE engine.workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.workspaces FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.workspaces TO CURRENT_USER USING (true) WITH CHECK (true);

ALTER TABLE engine.users ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.users FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.users TO CURRENT_USER USING (true) WITH CHECK (true);
-- Uses functions: access/principal_id, access/principal_kind, access/principal_user
CREATE POLICY own ON engine.users FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.users TO neurigraph_request;

ALTER TABLE engine.nodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.nodes FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.nodes TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY readable ON engine.nodes FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.nodes TO neurigraph_request;

CREATE TABLE engine.embedding_versions (
    name        text PRIMARY KEY,
    provider    text NOT NULL,
    model       text NOT NULL,
    dimension   integer NOT NULL CHECK (dimension BETWEEN 1 AND 16000),
    compression text NOT NULL DEFAULT 'float32' CHECK (compression IN ('float32', 'halfvec', 'bit')),
    status      text NOT NULL CHECK (status IN ('active', 'canary', 'archived')),
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX one_active_embedding ON engine.embedding_versions ((true)) WHERE status = 'active';
ALTER TABLE engine.embedding_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.embedding_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.embedding_versions TO CURRENT_USER USING (true) WITH CHECK (true);
