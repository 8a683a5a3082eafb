-- Tokens: credentials of users, personas, integrations and administrators. The secret itself is never here, only its
-- SHA-256; it has 256 random bits, so a slow hash would add nothing. The request role has no right on any of this.

CREATE TABLE engine.tokens (
    token_id       uuid PRIMARY KEY,
    workspace_id   uuid NOT NULL REFERENCES engine.workspaces,
    principal_kind text NOT NULL CHECK (principal_kind IN ('user', 'persona', 'third_party', 'administrator')),
    principal_id   uuid NOT NULL,  -- the user, the persona's node, the integration; an administrator's is its token
    name           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    token_hash     bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at     timestamptz,
    revoked_at     timestamptz,
    last_used_at   timestamptz,
    replaces       uuid UNIQUE REFERENCES engine.tokens,
    CHECK (principal_kind <> 'administrator' OR principal_id = token_id)
);
CREATE INDEX tokens_of_workspace ON engine.tokens (workspace_id, created_at, token_id);
ALTER TABLE engine.tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.tokens TO CURRENT_USER USING (true) WITH CHECK (true);
