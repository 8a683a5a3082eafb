-- Purpose: where a file of a live record lies. Identifier: schema. Parameters: file_id. Returns: the manifest's columns.
SELECT f.file_id, f.record_id, f.file_name, f.content_type, f.storage_path, f.compression_format, f.size_bytes, f.sha256
FROM {schema}.file_manifest AS f JOIN {schema}.metadata_records AS r USING (record_id)
WHERE f.file_id = %(file_id)s AND r.state = 'live'
