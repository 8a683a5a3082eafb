-- Purpose: commits that a crash or a stopped store left half way, least failed and oldest first; skips what another worker holds.
-- Parameters: older_than (seconds), limit. Returns: commit_id, user_id, kind, payload.
SELECT commit_id, user_id, kind, payload FROM engine.outbox
WHERE state = 'pending' AND created_at <= now() - make_interval(secs => %(older_than)s)
ORDER BY attempts, created_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
