// Purpose: an edge by its id, for the user of the graph who is about to change it.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user shapes a graph), edge_id.
// Returns: edge_id, edge_type, source_id, target_id, properties (all), revision, valid_to, known_from, known_to;
//   no row where there is none.
MATCH (n:Node)-[e:part.edge() {edge_id: $edge_id}]->(o:Node)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND o.user_id = $user_id
RETURN e.edge_id AS edge_id, e.edge_type AS edge_type, n.node_id AS source_id, o.node_id AS target_id, properties(e) AS properties,
       coalesce(e.revision, 1) AS revision, e.valid_to AS valid_to, e.known_from AS known_from,
       e.known_to AS known_to
LIMIT 1
