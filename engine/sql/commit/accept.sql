-- Purpose: accepts a commit: enters its changes of the graph in the outbox. Parameters: commit_id, user_id, changes. Returns: nothing of use.
SELECT engine.accept_commit(%(commit_id)s, %(user_id)s, %(changes)s)
