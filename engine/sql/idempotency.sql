-- name: answer
-- Purpose: keeps the answer under the key. Parameters: user_id, key, answer. Returns: nothing.
UPDATE engine.idempotency SET answer = %(answer)s WHERE user_id = %(user_id)s AND key = %(key)s

-- name: claim
-- Purpose: claims an idempotency key for one carrier of its request, or finds what became of it. A claim that was given back, or not renewed in
--   time, is free. Parameters: user_id, key, request_hash, carrier, lease (seconds). Returns: request_hash, answer, mine.
INSERT INTO engine.idempotency AS i (user_id, key, request_hash, claimed_by, claimed_until)
VALUES (%(user_id)s, %(key)s, %(request_hash)s, %(carrier)s, clock_timestamp() + make_interval(secs => %(lease)s))
ON CONFLICT (user_id, key) DO UPDATE SET
    claimed_by = CASE WHEN i.answer IS NULL AND i.request_hash = excluded.request_hash AND coalesce(i.claimed_until, '-infinity') < clock_timestamp()
                      THEN excluded.claimed_by ELSE i.claimed_by END,
    claimed_until = CASE WHEN i.answer IS NULL AND i.request_hash = excluded.request_hash AND coalesce(i.claimed_until, '-infinity') < clock_timestamp()
                         THEN excluded.claimed_until ELSE i.claimed_until END
RETURNING request_hash, answer, claimed_by = %(carrier)s AS mine

-- name: renew
-- Purpose: says that the carrier of a request lives, or with a lease of 0 that it has given up. Parameters: user_id, key, carrier, lease (seconds).
-- Returns: nothing.
UPDATE engine.idempotency SET claimed_until = clock_timestamp() + make_interval(secs => %(lease)s)
WHERE user_id = %(user_id)s AND key = %(key)s AND claimed_by = %(carrier)s AND answer IS NULL
