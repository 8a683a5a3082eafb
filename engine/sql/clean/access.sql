-- Purpose: deletes lines of the access log that are older than a time, and than 30 days. Service only. Parameters: before, limit.
-- Returns: nothing; the count is the driver's.
DELETE FROM engine.access_log WHERE entry_id IN (
    SELECT o.entry_id FROM engine.access_log AS o
    WHERE o.occurred_at < least(%(before)s, statement_timestamp() - interval '30 days') ORDER BY o.occurred_at LIMIT %(limit)s)
