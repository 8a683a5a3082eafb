-- Purpose: notes that a reader opened a file: active until the TTL is over. Parameters: node_id, file_id, now, until. Returns: nothing of use.
SELECT engine.file_opened(%(node_id)s, %(file_id)s, %(now)s, %(until)s)
