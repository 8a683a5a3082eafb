-- Purpose: what a principal stored, in the order in which it came, one page: documents version by version, a conversation where its first
--   part came. Parameters: user_id, authored_by, until, after_time and after_id (of the last one before, or null), limit.
-- Returns: resource_id, content_type, source_id, record_id, file_name, media_type, size_bytes, received_at; title and version of a document.
SELECT r.resource_id, r.content_type, r.source_id, r.record_id, r.file_name, r.media_type, r.size_bytes, r.received_at, v.title, v.version
FROM engine.raw_resources AS r
LEFT JOIN engine.document_versions AS v ON v.document_id = r.record_id AND v.file_id = r.resource_id
WHERE r.user_id = %(user_id)s AND r.authored_by = %(authored_by)s AND r.received_at <= %(until)s
  AND (%(after_time)s::timestamptz IS NULL OR (r.received_at, r.resource_id) > (%(after_time)s, %(after_id)s::uuid))
  AND (r.content_type <> 'conversation'
       OR NOT EXISTS (SELECT FROM engine.raw_resources AS e
                      WHERE e.user_id = r.user_id AND e.source_id = r.source_id AND e.authored_by = r.authored_by
                        AND e.content_type = r.content_type AND (e.received_at, e.resource_id) < (r.received_at, r.resource_id)))
ORDER BY r.received_at, r.resource_id LIMIT %(limit)s
