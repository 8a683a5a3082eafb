-- Purpose: makes a commit visible (node or records live, outbox row done); repeating it changes nothing.
-- Parameters: commit_id. Returns: done (false when there is no such commit for this principal).
SELECT engine.finish_commit(%(commit_id)s) AS done
