-- Purpose: tries to change every item of a node, without any WHERE: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE {schema}.memory_items SET last_accessed_at = now()
