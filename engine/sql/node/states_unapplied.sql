-- Purpose: nodes whose derived state the graph does not show yet. Service only. Parameters: nodes (null for all), limit.
-- Returns: node_id, state, seq, changed_at.
SELECT node_id, state, seq, changed_at FROM engine.node_states
WHERE told_seq < seq AND (%(nodes)s::uuid[] IS NULL OR node_id = ANY (%(nodes)s))
LIMIT %(limit)s
