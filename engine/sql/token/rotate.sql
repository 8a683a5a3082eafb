-- Purpose: a new secret in place of a token's. Service only.
-- Parameters: workspace, token_id, new_id, token_hash, grace (interval in which the old one is still good), actor_kind,
-- actor_id. Returns: the new token.
SELECT token_id, principal_kind, principal_id, name, created_at, expires_at, revoked_at, last_used_at, replaces
FROM engine.rotate_token(%(workspace)s::text, %(token_id)s::uuid, %(new_id)s::uuid, %(token_hash)s::bytea, %(grace)s::interval,
                         %(actor_kind)s::text, %(actor_id)s::uuid)
