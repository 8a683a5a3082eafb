-- Purpose: tries to change every streamed conversation, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.conversations SET last_at = now()
