-- Purpose: counts a refused request. Parameters: node_id, operation. Returns: nothing of use.
SELECT engine.note_refused(%(node_id)s, %(operation)s)
