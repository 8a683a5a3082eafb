-- Purpose: says that a retraction is to be undone. Parameters: retraction_id, now. Returns: later (a retraction that is to be undone first, or null).
SELECT engine.undo_retraction(%(retraction_id)s, %(now)s) AS later
