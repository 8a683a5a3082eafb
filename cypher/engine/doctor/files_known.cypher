// Purpose: which of these files are in a manifest of the graph. Operator only, all users. Parameters: files. Returns: file_id.
MATCH (r:Record) WHERE r.file_id IN $files
RETURN DISTINCT r.file_id AS file_id LIMIT 1000
