// Action: Show the way up
// Purpose: the nodes above the selected ones, up to the user.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Node)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = ({node_id: $user_id})-[:HAS_CHILD*0..5]->(n)
RETURN way
