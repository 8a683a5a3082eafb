-- Purpose: makes a token for a principal of the workspace. Service only.
-- Parameters: token_id, workspace, kind, principal_id, name, token_hash, expires_at, actor_kind, actor_id. Returns: the token.
SELECT token_id, principal_kind, principal_id, name, created_at, expires_at, revoked_at, last_used_at, replaces
FROM engine.create_token(%(token_id)s::uuid, %(workspace)s::text, %(kind)s::text, %(principal_id)s::uuid, %(name)s::text,
                         %(token_hash)s::bytea, %(expires_at)s::timestamptz, %(actor_kind)s::text, %(actor_id)s::uuid)
