-- Purpose: notes why a conversation could not be stored, and when it is tried again. Parameters: source_id, failure, retry_at. Returns: nothing.
UPDATE engine.conversations SET failure = left(%(failure)s, 500), retry_at = %(retry_at)s
WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s
