// Purpose: shows in the shell that a file of the node is open. Parameters: user_id (the principal's), node_id, now. Returns: node_id.
MATCH (n:Node {node_id: $node_id}) WHERE n.user_id = $user_id
SET n.state = 'active', n.last_accessed_at = datetime($now)
RETURN n.node_id AS node_id
