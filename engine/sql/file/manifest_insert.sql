-- Purpose: enters files of records into the node's manifest. Identifier: schema. Parameters: rows (json array of the columns). Returns: nothing.
INSERT INTO {schema}.file_manifest
    (file_id, record_id, file_name, file_type, content_type, storage_path, compression_format, size_bytes,
     stored_bytes, sha256, created_at, last_accessed_at)
SELECT r.file_id, r.record_id, r.file_name, r.file_type, r.file_content_type, r.file_pointer, r.compression_format, r.size_bytes,
       r.stored_bytes, decode(r.sha256, 'hex'), r.now, r.now
FROM jsonb_to_recordset(%(rows)s) AS r (file_id uuid, record_id uuid, file_name text, file_type text, file_content_type text, file_pointer text,
                                        compression_format text, size_bytes bigint, stored_bytes bigint, sha256 text, now timestamptz)
