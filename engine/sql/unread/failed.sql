-- Purpose: says why a record could not be read this time. Service only. Parameters: record_id, reason. Returns: nothing.
UPDATE engine.unread_records SET reason = left(%(reason)s, 600) WHERE record_id = %(record_id)s
