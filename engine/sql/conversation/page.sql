-- Purpose: conversations that have not ended, by id, one page. Parameters: after, limit.
-- Returns: conversations.
SELECT conversation_id, title, state, turns, stored, turns - stored AS waiting, tokens, waiting_tokens, oversized, begun_at, last_at, ended_at, failure
FROM engine.conversations
WHERE user_id = engine.principal_graph() AND state <> 'ended'
  AND principal_id = engine.principal_id() AND conversation_id > %(after)s
ORDER BY conversation_id
LIMIT %(limit)s
