// Action: Expand a layer
// Purpose: the nodes right below the selected ones.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Node)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)-[:HAS_CHILD]->(:Node)
RETURN way
