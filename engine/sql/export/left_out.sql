-- Purpose: what an export leaves out. Parameters: user_id, authored_by, until.
-- Returns: of_others (inputs that personas of the user stored), waiting (turns of streamed conversations that are not stored yet).
SELECT (SELECT count(*) FROM engine.raw_resources AS r
        WHERE r.user_id = %(user_id)s AND r.authored_by <> %(authored_by)s AND r.received_at <= %(until)s) AS of_others,
       (SELECT coalesce(sum(c.turns - c.stored), 0) FROM engine.conversations AS c WHERE c.user_id = %(user_id)s) AS waiting
