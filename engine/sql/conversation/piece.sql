-- Purpose: the turns of a piece, and the one before it, whose words may be gone. Parameters: source_id, start, until, limit.
-- Returns: number, ref, digest, said_at, speaker, content.
SELECT number, ref, digest, said_at, speaker, content
FROM engine.conversation_turns
WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s AND number >= %(start)s - 1 AND number < %(until)s
ORDER BY number
LIMIT %(limit)s
