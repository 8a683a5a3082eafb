// Action: Show its names
// Purpose: the names by which the selected entities are known.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Entity)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)<-[:NAMES]-(:Alias)
RETURN way
