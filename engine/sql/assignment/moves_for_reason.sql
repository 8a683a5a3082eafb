-- Purpose: the moves of a user's records that were made for one reason, and whether each is its record's newest decision.
-- Parameters: user_id, reason, limit. Returns: record_id, node_id, moved_from, title, newest.
SELECT a.record_id, a.node_id, a.moved_from, a.title,
       NOT EXISTS (SELECT FROM engine.assignments AS later WHERE later.record_id = a.record_id AND later.entry_id > a.entry_id) AS newest
FROM engine.assignments AS a
WHERE a.user_id = %(user_id)s AND a.moved_from IS NOT NULL AND a.reasons ->> 'reason' = %(reason)s
ORDER BY a.entry_id
LIMIT %(limit)s
