// Action: Show where it is mentioned
// Purpose: the newest records that mention the selected entities.
// Parameters: user_id (whose graph, a text), nodes (element ids of what is selected in the scene).
// Returns: paths, at most 50.
MATCH (n:Entity)
WHERE elementId(n) IN $nodes AND n.user_id = $user_id
MATCH way = (n)<-[m:MENTIONS]-(record:Record)
WHERE m.known_to IS NULL
RETURN way ORDER BY coalesce(record.occurred_at, record.known_from) DESC LIMIT 50
