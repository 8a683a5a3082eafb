-- Purpose: conversations of all users of which something may be due, one page by key. Service only.
-- Parameters: silent (nothing came since then), watch_from (tokens), now, after_user, after_source, limit.
-- Returns: user_id, source_id, principal_kind, principal_id.
SELECT user_id, source_id, principal_kind, principal_id
FROM engine.conversations
WHERE state <> 'ended' AND (user_id, source_id) > (%(after_user)s::uuid, %(after_source)s::text)
  AND (state = 'ending' OR last_at <= %(silent)s OR waiting_tokens >= %(watch_from)s) AND (retry_at IS NULL OR retry_at <= %(now)s)
ORDER BY user_id, source_id
LIMIT %(limit)s
