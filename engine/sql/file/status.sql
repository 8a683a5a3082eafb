-- Purpose: the state of a file that the principal may read. Parameters: node_id, file_id.
-- Returns: one row: state, since, due_at, by_hand, failure; raises NG404.
SELECT state, since, due_at, by_hand, failure FROM engine.file_state(%(node_id)s, %(file_id)s)
