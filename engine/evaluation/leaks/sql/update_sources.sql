-- Purpose: tries to change every source, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.sources SET updated_at = now()
