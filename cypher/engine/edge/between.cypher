// Purpose: the edge of one type between two nodes, for the user of the graph who is about to make or change it.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user shapes a graph), source_id, target_id, edge_type.
// Returns: edge_id, edge_type, source_id, target_id, properties (all), revision, valid_to, known_from, known_to;
//   no row where there is none.
MATCH (n:Node {node_id: $source_id})-[e:part.edge() {edge_type: $edge_type}]->(o:Node {node_id: $target_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND o.user_id = $user_id
RETURN e.edge_id AS edge_id, e.edge_type AS edge_type, n.node_id AS source_id, o.node_id AS target_id, properties(e) AS properties,
       coalesce(e.revision, 1) AS revision, e.valid_to AS valid_to, e.known_from AS known_from,
       e.known_to AS known_to
LIMIT 1
