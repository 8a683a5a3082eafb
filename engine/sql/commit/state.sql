-- Purpose: how a commit stands. Service only. Parameters: commit_id. Returns: state, attempts, cause; none where it is unknown.
SELECT state, attempts, coalesce(last_failure, '') AS cause FROM engine.outbox WHERE commit_id = %(commit_id)s
