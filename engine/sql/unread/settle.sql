-- Purpose: strikes off a record that was read, or that nobody will read. Service only. Parameters: record_id. Returns: nothing.
DELETE FROM engine.unread_records WHERE record_id = %(record_id)s
