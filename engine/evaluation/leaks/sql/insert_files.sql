-- Purpose: tries to add a file to a record of any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: record_id. Returns: nothing.
INSERT INTO {schema}.file_manifest (file_id, record_id, file_name, file_type, content_type, storage_path, compression_format,
                                    size_bytes, stored_bytes, sha256)
VALUES (gen_random_uuid(), %(record_id)s, 'leaks', 'other', 'text/plain', 'leaks', 'native', 0, 0, sha256(''))
