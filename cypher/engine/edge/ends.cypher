// Purpose: whether two nodes are there to be joined by an edge, for the user of the graph.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user shapes a graph), source_id, target_id.
// Returns: one row, or none where an end is missing or not the user's.
MATCH (n:Node {node_id: $source_id}), (o:Node {node_id: $target_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND o.user_id = $user_id
  AND n.known_to IS NULL AND o.known_to IS NULL
RETURN n.node_id AS source_id, o.node_id AS target_id
