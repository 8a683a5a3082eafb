-- name: insert
-- Purpose: notes what came in with records; once where several records share it. Parameters: user_id, authored_by, rows (json array of the other columns, known
--   as those of the records' rows). Returns: nothing.
INSERT INTO engine.raw_resources
    (resource_id, user_id, workspace_id, content_type, source_id, record_id, node_id, object_key, file_name, media_type, packed, content_hash,
     size_bytes, authored_by, received_at, commit_id, layout)
SELECT r.file_id, %(user_id)s::uuid, engine.workspace_of(%(user_id)s::uuid), r.received_as, r.source_id, r.record_id, r.node_id, r.file_pointer,
       r.received_name, r.file_content_type, r.compression_format = 'gzip', decode(r.sha256, 'hex'), r.size_bytes, %(authored_by)s::text, r.now,
       r.commit_id, r.layout
FROM jsonb_to_recordset(%(rows)s) AS r (file_id uuid, received_as text, source_id text, record_id uuid, node_id uuid, file_pointer text, received_name text,
                                        file_content_type text, compression_format text, sha256 text, size_bytes bigint, now timestamptz,
                                        commit_id uuid, layout jsonb)
ON CONFLICT DO NOTHING

-- name: known
-- Purpose: which of these files are the inputs of what was stored. Service only. Parameters: files. Returns: resource_id.
SELECT r.resource_id FROM engine.raw_resources AS r WHERE r.resource_id = ANY (%(files)s::uuid[])

-- name: locate
-- Purpose: where the bytes of a resource lie whose record holds. Parameters: user_id, resource_id. Returns: record_id, node_id, object_key, packed, content_hash, file_name,
--   media_type, title (of the record, now), and newest (no later version of a document came in);
--   none where there is none that may be seen.
SELECT r.record_id, r.node_id, r.object_key, r.packed, r.content_hash, r.file_name, r.media_type, engine.record_title(r.record_id, r.node_id) AS title,
       NOT EXISTS (SELECT FROM engine.document_versions AS v
                   WHERE v.document_id = r.record_id AND v.file_id <> r.resource_id AND v.known_at > r.received_at) AS newest
FROM engine.raw_resources AS r
WHERE r.resource_id = %(resource_id)s AND r.user_id = %(user_id)s AND engine.record_holds(r.record_id, r.node_id)

-- name: page
-- Purpose: what came in and holds, newest first, one page. Parameters: user_id, content_type, source_id (null: any), before_time,
--   before_id (the last row of the page before, or null), limit. Returns: the columns of RawResource, and
--   title (of the record, now).
SELECT r.resource_id, r.workspace_id, r.content_type, r.source_id, r.record_id, r.node_id, engine.record_title(r.record_id, r.node_id) AS title, r.file_name, r.media_type,
       encode(r.content_hash, 'hex') AS content_hash, r.size_bytes, r.authored_by, r.received_at
FROM engine.raw_resources AS r
WHERE r.user_id = %(user_id)s AND (%(content_type)s::text IS NULL OR r.content_type = %(content_type)s::text)
  AND (%(source_id)s::text IS NULL OR r.source_id = %(source_id)s::text)
  AND (%(before_time)s::timestamptz IS NULL OR (r.received_at, r.resource_id) < (%(before_time)s, %(before_id)s::uuid))
  AND engine.record_holds(r.record_id, r.node_id)
ORDER BY r.received_at DESC, r.resource_id DESC LIMIT %(limit)s
