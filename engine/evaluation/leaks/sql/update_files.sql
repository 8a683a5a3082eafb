-- Purpose: tries to change every file of a node, without any WHERE: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE {schema}.file_manifest SET last_accessed_at = now()
