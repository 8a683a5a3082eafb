-- Purpose: waits for whoever works on a commit, then locks it if it is still pending. Service only.
-- Parameters: commit_id. Returns: kind, payload; none when it is done or unknown.
SELECT kind, payload FROM engine.outbox WHERE commit_id = %(commit_id)s AND state = 'pending' FOR UPDATE
