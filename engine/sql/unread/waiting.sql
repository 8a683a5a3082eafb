-- Purpose: how many records wait to be read by a model. Service only. Parameters: none. Returns: records.
SELECT count(*) AS records FROM engine.unread_records
