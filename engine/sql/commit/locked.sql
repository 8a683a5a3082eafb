-- Purpose: waits for the lock on a commit, then locks it if it is not finished. Service only.
-- Parameters: commit_id. Returns: kind, payload, state, cause; none when it is done, discarded or unknown.
SELECT kind, payload, state, coalesce(last_failure, '') AS cause FROM engine.outbox
WHERE commit_id = %(commit_id)s AND state IN ('pending', 'set_aside') FOR UPDATE
