// Purpose: ids of all shells, one page. Operator only, all users. Parameters: after (node id), limit. Returns: node_id.
MATCH (n:Node) WHERE n.node_id > $after
RETURN n.node_id AS node_id ORDER BY node_id LIMIT $limit
