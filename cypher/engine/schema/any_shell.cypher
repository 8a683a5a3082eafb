// Purpose: whether the graph holds any shell. Operator only. Parameters: none. Returns: node_id of one.
MATCH (n:Node) RETURN n.node_id AS node_id LIMIT 1
