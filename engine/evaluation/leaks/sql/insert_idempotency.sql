-- Purpose: tries to claim a request's key of any user: for the leak fuzzer, rolled back. Parameters: user_id, key. Returns: nothing.
INSERT INTO engine.idempotency (user_id, key, request_hash) VALUES (%(user_id)s, %(key)s, sha256(''))
