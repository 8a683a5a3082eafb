// Purpose: the global edge registry of a user: every cross-node edge, read from the root without opening a node.
// Parameters: user_id (the principal's), as_of, known_at (null is now), limit. Returns: a row an edge.
WITH coalesce($as_of, datetime()) AS as_of
MATCH (a:Node {user_id: $user_id})-[e:RELATED]->(b:Node {user_id: $user_id})
WHERE coalesce(e.known_from <= $known_at, true) AND coalesce(e.known_to > $known_at, e.known_to IS NULL)
  AND coalesce(e.valid_from <= as_of, true) AND coalesce(e.valid_to > as_of, true)
RETURN e.edge_id AS edge_id, e.edge_type AS edge_type, a.node_id AS source_id, a.name AS source_name,
       b.node_id AS target_id, b.name AS target_name
ORDER BY source_name, target_name, edge_type LIMIT $limit
