-- Purpose: finished changes of nodes, edges and grants in their order, a page of commits. Service only.
-- Parameters: after_time, after (commit id), limit. Returns: commit_id, created_at, kind, change (of the graph).
SELECT o.commit_id, o.created_at, c.kind, c.change
FROM (SELECT w.* FROM engine.outbox AS w
      WHERE w.state = 'done' AND w.kinds && ARRAY['node_revised', 'edge_revised', 'granted', 'revoked']
        AND (w.created_at, w.commit_id) > (%(after_time)s::timestamptz, %(after)s::uuid)
      ORDER BY w.created_at, w.commit_id LIMIT %(limit)s) AS o, engine.graph_changes(o.kind, o.payload) AS c
WHERE c.kind IN ('node_revised', 'edge_revised', 'granted', 'revoked')
ORDER BY o.created_at, o.commit_id, c.place
