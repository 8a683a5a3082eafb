-- Purpose: tries to change every count of a node, without any WHERE: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE {schema}.term_counts SET documents = 1
