// Action: Show where it is spoken of
// Purpose: the three nodes whose records mention the selected entities most.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Entity)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)-[:ANCHORED_AT]->(:Node)
RETURN way
