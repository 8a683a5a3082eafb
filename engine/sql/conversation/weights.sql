-- Purpose: how much each waiting turn weighs and whose it is, for the question where to cut.
-- Parameters: source_id, stored, limit. Returns: one row: tokens, roles, speakers, in the order of the turns.
SELECT coalesce(array_agg(t.tokens ORDER BY t.number), ARRAY[]::integer[]) AS tokens, coalesce(array_agg(t.role ORDER BY t.number), ARRAY[]::text[]) AS roles,
       coalesce(array_agg(t.speaker ORDER BY t.number), ARRAY[]::text[]) AS speakers
FROM (SELECT number, tokens, role, speaker FROM engine.conversation_turns
      WHERE user_id = engine.principal_graph() AND source_id = %(source_id)s AND number >= %(stored)s
      ORDER BY number LIMIT %(limit)s) AS t
