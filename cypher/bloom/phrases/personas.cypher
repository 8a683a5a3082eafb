// Phrase: the personas
// Purpose: the nodes that are personas, with their place below the user.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*1..5]->(:Persona)
USING INDEX SEEK root:Node(node_id)
RETURN way
