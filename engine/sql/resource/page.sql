-- Purpose: what came in, newest first, one page. Parameters: user_id, content_type, source_id (null: any), before_time,
--   before_id (the last row of the page before, or null), limit. Returns: the columns of RawResource.
SELECT r.resource_id, r.workspace_id, r.content_type, r.source_id, r.record_id, r.node_id, r.file_name, r.media_type,
       encode(r.content_hash, 'hex') AS content_hash, r.size_bytes, r.authored_by, r.received_at
FROM engine.raw_resources AS r
WHERE r.user_id = %(user_id)s AND (%(content_type)s::text IS NULL OR r.content_type = %(content_type)s::text)
  AND (%(source_id)s::text IS NULL OR r.source_id = %(source_id)s::text)
  AND (%(before_time)s::timestamptz IS NULL OR (r.received_at, r.resource_id) < (%(before_time)s, %(before_id)s::uuid))
ORDER BY r.received_at DESC, r.resource_id DESC LIMIT %(limit)s
