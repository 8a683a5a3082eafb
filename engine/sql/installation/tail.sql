-- Purpose: a node or record of the newest commit that was finished after the last mark: the graph must know it. Service only. Parameters: none.
-- Returns: subject_id, done_at; no row where nothing was.
SELECT coalesce((SELECT c.change -> 'records' -> 0 ->> 'record_id' FROM engine.graph_changes(o.kind, o.payload) AS c
                 WHERE c.kind = 'records' LIMIT 1), o.commit_id::text) AS subject_id, o.done_at
FROM engine.outbox AS o JOIN engine.installation AS i ON o.done_at > i.marked_at
WHERE o.state = 'done' AND o.kind IN ('node', 'records') ORDER BY o.done_at DESC LIMIT 1
