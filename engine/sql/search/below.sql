-- Purpose: the nodes of subtrees, for a search, upper layers first. Only a root of a subtree that the principal may read counts: nothing tells what lies
--   below a hidden one.
-- Parameters: user_id (whose graph), roots (uuid[]), most. Returns: node_id.
SELECT n.node_id FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.state = 'live'
  AND n.lineage && ARRAY(SELECT r.node_id FROM engine.nodes AS r WHERE r.user_id = %(user_id)s AND r.node_id = ANY (%(roots)s::uuid[]))
ORDER BY n.layer, n.created_at, n.node_id LIMIT %(most)s
