-- Purpose: moves a record to another node of the same graph; the principal must be able to write at both. Parameters: commit_id, record_id, from_node, to_node,
--   reason, now. Returns: payload (the graph's part of the commit), revision, moved_at; raises NG404, NG409, NG426.
SELECT payload, revision, moved_at FROM engine.move_record(%(commit_id)s, %(record_id)s, %(from_node)s, %(to_node)s, %(reason)s, %(now)s)
