-- Purpose: tries to change every source, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; the count of rows tells.
UPDATE engine.sources SET updated_at = now()
