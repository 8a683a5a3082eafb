-- name: answer
-- Purpose: keeps the answer under the key, unless what it is about was forgotten meanwhile. Parameters: user_id, key, answer. Returns: nothing.
UPDATE engine.idempotency SET answer = %(answer)s WHERE user_id = %(user_id)s AND key = %(key)s AND NOT forgotten

-- name: claim
-- Purpose: claims an idempotency key for one carrier of its request, or finds what became of it; refuses one of which what it stored is forgotten.
-- Parameters: user_id, key, request_hash, carrier, lease (seconds), again (carry it out anew). Returns: request_hash, answer, mine; raises NG425.
SELECT request_hash, answer, mine
FROM engine.claim_request(%(user_id)s, %(key)s, %(request_hash)s, %(carrier)s, %(lease)s, %(again)s)

-- name: renew
-- Purpose: says that the carrier of a request lives, or with a lease of 0 that it has given up. Parameters: user_id, key, carrier, lease (seconds).
-- Returns: nothing.
UPDATE engine.idempotency SET claimed_until = clock_timestamp() + make_interval(secs => %(lease)s)
WHERE user_id = %(user_id)s AND key = %(key)s AND claimed_by = %(carrier)s AND answer IS NULL
