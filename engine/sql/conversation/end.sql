-- Purpose: says that no more is to come of a conversation; with `silent`, only where nothing came since then.
-- Parameters: source_id, silent, now. Returns: the conversation.
SELECT conversation_id, title, state, turns, stored, turns - stored AS waiting, tokens, waiting_tokens, oversized, begun_at, last_at, ended_at, failure
FROM engine.end_conversation(%(source_id)s, %(silent)s::timestamptz, %(now)s)
