-- Purpose: tries to add a source to any user: for the leak fuzzer, rolled back. Parameters: user_id, key. Returns: nothing.
INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
VALUES (%(user_id)s, %(key)s, 1, sha256(''), gen_random_uuid())
