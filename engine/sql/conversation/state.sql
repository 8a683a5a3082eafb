-- Purpose: a streamed conversation as it stands. Parameters: source_id. Returns: the conversation, or nothing.
SELECT conversation_id, title, state, turns, stored, turns - stored AS waiting, tokens, waiting_tokens, oversized, begun_at, last_at, ended_at, failure
FROM engine.conversations
WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s
