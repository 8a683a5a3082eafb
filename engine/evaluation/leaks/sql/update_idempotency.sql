-- Purpose: tries to change every kept answer, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; the count of rows tells.
UPDATE engine.idempotency SET created_at = now()
