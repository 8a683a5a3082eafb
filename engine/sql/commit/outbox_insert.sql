-- Purpose: accepts a commit: enters the graph's part in the outbox. Parameters: commit_id, user_id, kind, payload. Returns: nothing.
INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (%(commit_id)s, %(user_id)s, %(kind)s, %(payload)s)
