-- Purpose: removes a record that was read, or that will not be read, from the list. Service only. Parameters: record_id. Returns: nothing.
DELETE FROM engine.unread_records WHERE record_id = %(record_id)s
