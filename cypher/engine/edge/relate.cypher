// Purpose: records a cross-node edge in the global registry; the same type between the same nodes stays one edge.
// Parameters: user_id (whose graph), principal (who asks: only the user shapes a graph), source_id, target_id, edge_type, edge_id,
//   properties, now. Returns: edge_id, created; no row when an end is missing or not readable.
MATCH (a:Node {node_id: $source_id}), (b:Node {node_id: $target_id})
WHERE $principal = $user_id AND a.user_id = $user_id AND b.user_id = $user_id AND a.known_to IS NULL AND b.known_to IS NULL
MERGE (a)-[e:RELATED {edge_type: $edge_type}]->(b)
  ON CREATE SET e += $properties, e.edge_id = $edge_id, e.known_from = datetime($now)
RETURN e.edge_id AS edge_id, e.edge_id = $edge_id AS created
