-- Purpose: finished changes of nodes, edges and grants in their order, one page, with the graph's parts. Service only.
-- Parameters: after_time, after (commit id), limit. Returns: commit_id, created_at, kind, payload.
SELECT o.commit_id, o.created_at, o.kind, o.payload FROM engine.outbox AS o
WHERE o.state = 'done' AND o.kind IN ('node_revised', 'relation', 'granted', 'revoked')
  AND (o.created_at, o.commit_id) > (%(after_time)s::timestamptz, %(after)s::uuid)
ORDER BY o.created_at, o.commit_id LIMIT %(limit)s
