-- name: authenticate
-- Purpose: whose token it is, where it is in force. Service only.
-- Parameters: workspace, token_hash. Returns: kind, principal_id, workspace; none for an unknown or ended one.
SELECT principal_kind AS kind, principal_id, %(workspace)s::text AS workspace
FROM engine.authenticate_token(%(workspace)s::text, %(token_hash)s::bytea)

-- name: create
-- Purpose: makes a token for a principal of the workspace. Service only.
-- Parameters: token_id, workspace, kind, principal_id, name, token_hash, expires_at, actor_kind, actor_id. Returns: the token.
SELECT token_id, principal_kind, principal_id, name, created_at, expires_at, revoked_at, last_used_at, replaces
FROM engine.create_token(%(token_id)s::uuid, %(workspace)s::text, %(kind)s::text, %(principal_id)s::uuid, %(name)s::text,
                         %(token_hash)s::bytea, %(expires_at)s::timestamptz, %(actor_kind)s::text, %(actor_id)s::uuid)

-- name: list
-- Purpose: tokens of a workspace, newest first, one page; never their hashes. Service only.
-- Parameters: workspace, after (the last token of the page before, or null), limit. Returns: tokens.
SELECT t.token_id, t.principal_kind, t.principal_id, t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.replaces
FROM engine.tokens AS t JOIN engine.workspaces AS w USING (workspace_id)
WHERE w.name = %(workspace)s
  AND (%(after)s::uuid IS NULL OR (t.created_at, t.token_id) < (
      SELECT p.created_at, p.token_id FROM engine.tokens AS p WHERE p.token_id = %(after)s AND p.workspace_id = w.workspace_id))
ORDER BY t.created_at DESC, t.token_id DESC LIMIT %(limit)s

-- name: principal
-- Purpose: whether the workspace has such a principal. Service only.
-- Parameters: workspace, kind, principal_id. Returns: known; no row when there is no such principal.
SELECT true AS known FROM engine.principal_in(%(workspace)s::text, %(kind)s::text, %(principal_id)s::uuid)

-- name: revoke
-- Purpose: ends a token of the workspace now. Service only.
-- Parameters: workspace, token_id, actor_kind, actor_id. Returns: the token.
SELECT token_id, principal_kind, principal_id, name, created_at, expires_at, revoked_at, last_used_at, replaces
FROM engine.revoke_token(%(workspace)s::text, %(token_id)s::uuid, %(actor_kind)s::text, %(actor_id)s::uuid)

-- name: rotate
-- Purpose: a new secret in place of a token's. Service only.
-- Parameters: workspace, token_id, new_id, token_hash, grace (interval in which the old one is still good), actor_kind,
-- actor_id. Returns: the new token.
SELECT token_id, principal_kind, principal_id, name, created_at, expires_at, revoked_at, last_used_at, replaces
FROM engine.rotate_token(%(workspace)s::text, %(token_id)s::uuid, %(new_id)s::uuid, %(token_hash)s::bytea, %(grace)s::interval,
                         %(actor_kind)s::text, %(actor_id)s::uuid)
