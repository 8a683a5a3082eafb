-- Purpose: ends a grant. Parameters: commit_id, grant_id. Returns: commit_id, revoked_at, payload.
SELECT commit_id, revoked_at, payload FROM engine.revoke_grant(%(commit_id)s, %(grant_id)s)
