-- Purpose: moves a record to another node of the same graph, for whoever may write at both. Parameters: commit_id, record_id, from_node, to_node,
--   reason, now. Returns: payload (what the graph has to learn), revision, moved_at; raises NG404, NG409, NG426.
SELECT payload, revision, moved_at FROM engine.move_record(%(commit_id)s, %(record_id)s, %(from_node)s, %(to_node)s, %(reason)s, %(now)s)
