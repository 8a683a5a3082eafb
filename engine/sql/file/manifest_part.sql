-- Purpose: says that a file of the node lies at other nodes, too: others than the user are shown a part. Identifier: schema.
-- Parameters: file_id. Returns: nothing.
UPDATE {schema}.file_manifest SET part = true WHERE file_id = %(file_id)s
