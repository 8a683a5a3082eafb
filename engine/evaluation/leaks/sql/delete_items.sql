-- Purpose: tries to delete every item of a node (never allowed): for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing.
DELETE FROM {schema}.memory_items
