-- Purpose: tries to give the first file of a node that the asker sees another id: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; see the row count.
UPDATE {schema}.file_manifest SET file_id = %(id)s WHERE file_id = (SELECT file_id FROM {schema}.file_manifest ORDER BY 1 LIMIT 1)
