-- Purpose: notes a failed attempt to finish a commit. Parameters: commit_id, failure. Returns: nothing.
UPDATE engine.outbox SET attempts = attempts + 1, last_failure = %(failure)s WHERE commit_id = %(commit_id)s
