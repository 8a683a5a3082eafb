-- Purpose: takes records that are due to be read; each is due again after a pause, whatever becomes of this attempt. Service only.
-- Parameters: now, most, first and longest (seconds of the pause: doubled with each attempt, half of it by chance).
-- Returns: record_id, user_id, attempts, node_id (where it lies now) and its schema_name.
WITH due AS (
    SELECT u.record_id FROM engine.unread_records AS u WHERE u.next_attempt <= %(now)s
    ORDER BY u.next_attempt LIMIT %(most)s FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE engine.unread_records AS u
    SET attempts = u.attempts + 1,
        next_attempt = %(now)s + least(%(longest)s, %(first)s * 2.0 ^ least(u.attempts, 30)) * (0.5 + random() / 2) * interval '1 second'
    FROM due WHERE u.record_id = due.record_id
    RETURNING u.record_id, u.user_id, u.node_id, u.attempts
)
SELECT t.record_id, t.user_id, t.attempts, n.node_id, n.schema_name
FROM taken AS t
JOIN engine.nodes AS n ON n.node_id = coalesce(
    (SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = t.record_id ORDER BY a.entry_id DESC LIMIT 1), t.node_id)
