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
