// Action: Show its records
// Purpose: the newest records that the selected nodes hold.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths, at most 50.
MATCH (n:Node)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)-[:HOLDS]->(record:Record)
RETURN way ORDER BY coalesce(record.occurred_at, record.known_from) DESC LIMIT 50
