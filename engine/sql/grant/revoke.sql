-- Purpose: ends a grant. Parameters: commit_id, grant_id. Returns: revoked_at, changed, commit_id, payload.
SELECT * FROM engine.revoke_grant(%(commit_id)s, %(grant_id)s)
