-- Purpose: keeps the answer under the key. Parameters: user_id, key, answer. Returns: nothing.
UPDATE engine.idempotency SET answer = %(answer)s WHERE user_id = %(user_id)s AND key = %(key)s
