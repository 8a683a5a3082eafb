-- Purpose: ends a grant. Parameters: commit_id, grant_id. Returns: commit_id (of the commit that ended it, or null), revoked_at, changed (whether it ended now), payload
--   (the graph's change).
SELECT commit_id, revoked_at, changed, payload FROM engine.revoke_grant(%(commit_id)s, %(grant_id)s)
