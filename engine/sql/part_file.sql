-- Purpose: a file of which the principal is shown a part. Parameters: node_id, file_id. Returns: file_id, record_id, name; none where it has
-- the file whole, or not at all.
SELECT file_id, record_id, file_name AS name FROM engine.part_files(%(node_id)s) WHERE file_id = %(file_id)s LIMIT 1
