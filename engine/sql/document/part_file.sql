-- Purpose: a file of which the principal is shown a part. Identifier: schema. Parameters: node_id, file_id.
-- Returns: node_id, file_id, record_id, name, title of the record; none where it has the file whole, or not at all.
SELECT %(node_id)s::uuid AS node_id, f.file_id, f.record_id, f.file_name AS name, r.title
FROM engine.part_files(%(node_id)s) AS f JOIN {schema}.metadata_records AS r USING (record_id)
WHERE f.file_id = %(file_id)s LIMIT 1
