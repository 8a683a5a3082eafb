-- Purpose: says that the carrier of a request lives, or with a lease of 0 that it has given up. Parameters: user_id, key, carrier, lease (seconds).
-- Returns: nothing.
UPDATE engine.idempotency SET claimed_until = clock_timestamp() + make_interval(secs => %(lease)s)
WHERE user_id = %(user_id)s AND key = %(key)s AND claimed_by = %(carrier)s AND answer IS NULL
