-- Purpose: states of nodes as their files make them, one page. Service only. Parameters: after (node id), limit. Returns: node_id, state, seq, changed_at.
SELECT s.node_id, s.state, s.seq, s.changed_at FROM engine.node_states AS s
WHERE s.node_id > %(after)s ORDER BY s.node_id LIMIT %(limit)s
