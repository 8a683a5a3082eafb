// Purpose: the edges of nodes, present and past, with the nodes at their other ends. Parameters: user_id, nodes (ids). Returns: edge_id, node_id (of the other end).
MATCH (n:Node)-[edge]-(other:Node)
WHERE n.node_id IN $nodes AND n.user_id = $user_id AND edge.edge_id IS NOT NULL
RETURN DISTINCT edge.edge_id AS edge_id, other.node_id AS node_id LIMIT 100000
