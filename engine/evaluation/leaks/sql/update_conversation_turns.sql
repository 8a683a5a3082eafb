-- Purpose: tries to change every waiting turn, without any WHERE: for the leak fuzzer, rolled back. Parameters: none.
-- Returns: nothing; see the row count.
UPDATE engine.conversation_turns SET said_at = now()
