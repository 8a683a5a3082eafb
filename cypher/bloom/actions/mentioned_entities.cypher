// Action: Show who and what it mentions
// Purpose: the entities that the selected records mention, and the facts that they state.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths.
MATCH (n:Record)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)-[m:MENTIONS|STATES]->()
WHERE m.known_to IS NULL
RETURN way
