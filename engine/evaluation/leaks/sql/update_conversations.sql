-- Purpose: tries to change every streamed conversation, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; the count of rows tells.
UPDATE engine.conversations SET last_at = now()
