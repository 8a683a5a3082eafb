-- Purpose: commits that a crash or a stopped store left half way, least failed and oldest first.
-- Parameters: older_than (seconds), due_only (whether those that wait for their next attempt are left out), limit. Returns: commit_id.
SELECT commit_id FROM engine.outbox
WHERE state = 'pending' AND created_at <= now() - make_interval(secs => %(older_than)s)
  AND (retry_at <= now() OR NOT %(due_only)s)
ORDER BY attempts, created_at LIMIT %(limit)s
