-- Purpose: takes a pending commit to finish it; none when another worker holds it or it is done. Service only.
-- Parameters: commit_id. Returns: kind, payload.
SELECT kind, payload FROM engine.outbox WHERE commit_id = %(commit_id)s AND state = 'pending' FOR UPDATE SKIP LOCKED
