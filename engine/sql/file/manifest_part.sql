-- Purpose: says that files of the node lie at other nodes, too: others than the user are shown a part. Identifier: schema.
-- Parameters: files (ids). Returns: nothing.
UPDATE {schema}.file_manifest SET part = true WHERE file_id = ANY (%(files)s)
