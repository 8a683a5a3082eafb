-- Purpose: deletes kept answers of writes that are older than a time. Parameters: before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.idempotency AS i USING (
    SELECT o.user_id, o.key FROM engine.idempotency AS o WHERE o.created_at < %(before)s ORDER BY o.created_at LIMIT %(limit)s
) AS old WHERE i.user_id = old.user_id AND i.key = old.key
