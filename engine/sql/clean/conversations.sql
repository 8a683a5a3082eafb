-- Purpose: forgets ended conversations, whose turns are stored. Parameters: before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.conversations AS c USING (
    SELECT o.user_id, o.source_id FROM engine.conversations AS o
    WHERE o.state = 'ended' AND o.ended_at < %(before)s ORDER BY o.ended_at LIMIT %(limit)s
) AS old WHERE c.user_id = old.user_id AND c.source_id = old.source_id
