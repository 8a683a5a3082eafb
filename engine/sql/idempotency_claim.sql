-- Purpose: claims an idempotency key, or finds who has it. Parameters: user_id, key, request_hash. Returns: request_hash, answer.
INSERT INTO engine.idempotency AS i (user_id, key, request_hash) VALUES (%(user_id)s, %(key)s, %(request_hash)s)
ON CONFLICT (user_id, key) DO UPDATE SET key = i.key
RETURNING request_hash, answer
