-- Purpose: enters the file of a record into the node's manifest. Identifier: schema. Parameters: the columns. Returns: nothing.
INSERT INTO {schema}.file_manifest
    (file_id, record_id, file_name, file_type, content_type, storage_path, compression_format, size_bytes,
     stored_bytes, sha256, created_at, last_accessed_at)
VALUES (%(file_id)s, %(record_id)s, %(file_name)s, %(file_type)s, %(file_content_type)s, %(file_pointer)s,
        %(compression_format)s, %(size_bytes)s, %(stored_bytes)s, %(sha256)s, %(now)s, %(now)s)
