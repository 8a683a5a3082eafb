-- Purpose: ends a token of the workspace now. Service only.
-- Parameters: workspace, token_id, actor_kind, actor_id. Returns: the token.
SELECT token_id, principal_kind, principal_id, name, created_at, expires_at, revoked_at, last_used_at, replaces
FROM engine.revoke_token(%(workspace)s::text, %(token_id)s::uuid, %(actor_kind)s::text, %(actor_id)s::uuid)
