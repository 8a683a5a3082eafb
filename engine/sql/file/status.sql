-- Purpose: the state of a file that the principal may read. Parameters: node_id, file_id.
-- Returns: one row: node_id, file_id, state, since, due_at, by_hand, failure; raises NG404.
SELECT %(node_id)s::uuid AS node_id, %(file_id)s::uuid AS file_id, state, since, due_at, by_hand, failure
FROM engine.file_state(%(node_id)s, %(file_id)s)
