-- Purpose: moves a conversation forward to what is stored of it, and deletes the words of those turns.
-- Parameters: source_id, hard (tokens above which a turn is counted as oversized), now. Returns: the conversation.
SELECT conversation_id, node_id, title, started_at, privacy, scope, scope_id, source, state, turns, stored, chain, waiting_tokens
FROM engine.settle_conversation(%(source_id)s, %(hard)s::integer, %(now)s)
