-- Purpose: a node or record of the newest commit with any that was finished after the last mark: the graph must know it. Service only.
-- Parameters: none. Returns: subject_id, done_at; no row where nothing was.
SELECT coalesce(c.change -> 'node' ->> 'node_id', c.change -> 'records' -> 0 ->> 'record_id') AS subject_id, newest.done_at
FROM (SELECT o.kind, o.payload, o.done_at FROM engine.outbox AS o JOIN engine.installation AS i ON o.done_at > i.marked_at
      WHERE o.state = 'done' AND o.kinds && ARRAY['node', 'records'] ORDER BY o.done_at DESC LIMIT 1) AS newest,
     engine.graph_changes(newest.kind, newest.payload) AS c
WHERE c.kind = 'node' OR c.kind = 'records' AND jsonb_array_length(c.change -> 'records') > 0
ORDER BY c.place LIMIT 1
