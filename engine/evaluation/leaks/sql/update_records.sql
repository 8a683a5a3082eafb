-- Purpose: tries to change every record of a node, without any WHERE: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE {schema}.metadata_records SET last_accessed_at = now()
