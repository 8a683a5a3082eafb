-- Purpose: tries to change every kept answer, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.idempotency SET created_at = now()
