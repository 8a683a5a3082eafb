-- Purpose: the parts of a conversation in the order in which they came, one page. Parameters: user_id, authored_by, source_id, until,
--   after_time and after_id (of the last one before, or null), limit.
-- Returns: resource_id, record_id, size_bytes, received_at, layout (where the turns stand, or null).
SELECT r.resource_id, r.record_id, r.size_bytes, r.received_at, r.layout
FROM engine.raw_resources AS r
WHERE r.user_id = %(user_id)s AND r.source_id = %(source_id)s AND r.authored_by = %(authored_by)s AND r.content_type = 'conversation'
  AND r.received_at <= %(until)s
  AND (%(after_time)s::timestamptz IS NULL OR (r.received_at, r.resource_id) > (%(after_time)s, %(after_id)s::uuid))
ORDER BY r.received_at, r.resource_id LIMIT %(limit)s
