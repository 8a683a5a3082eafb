-- Purpose: tries to append to a conversation of any user: for the leak fuzzer, rolled back. Parameters: user_id, key. Returns: nothing.
INSERT INTO engine.conversation_turns (user_id, source_id, number, digest, tokens, speaker, content)
VALUES (%(user_id)s, %(key)s, 0, sha256(''), 1, '', '')
