-- Purpose: tries to change every count of all nodes, without any WHERE: for the leak fuzzer, rolled back.
-- Parameters: none. Returns: nothing; see the row count.
UPDATE engine.term_counts SET documents = 1
