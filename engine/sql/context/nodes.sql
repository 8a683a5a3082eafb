-- Purpose: the nodes that the principal may read, upper layers first, for a search that the graph does not lead. Parameters: user_id (whose graph), most.
-- Returns: node_id.
SELECT n.node_id FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.state = 'live' ORDER BY n.layer, n.created_at, n.node_id LIMIT %(most)s
