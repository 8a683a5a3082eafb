-- Purpose: tries to add a count to any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: unit. Returns: nothing.
INSERT INTO {schema}.term_counts (unit, term, documents) VALUES (%(unit)s, 999999, 1)
