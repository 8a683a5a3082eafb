-- Purpose: where a file of a live record lies. Identifier: schema. Parameters: node_id, file_id.
-- Returns: the columns of StoredFile, and the title of the record.
SELECT %(node_id)s::uuid AS node_id, f.file_id, f.record_id, f.file_name AS name, r.title, f.content_type, f.size_bytes, f.storage_path,
       f.compression_format = 'gzip' AS packed, f.sha256
FROM {schema}.file_manifest AS f JOIN {schema}.metadata_records AS r USING (record_id)
WHERE f.file_id = %(file_id)s AND r.state = 'live'
