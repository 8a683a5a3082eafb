// Purpose: suggestions: first days of the months in which something was recorded, the newest first.
// Parameters: user_id (whose graph, a text).
// Returns: days as texts.
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(record:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL
RETURN DISTINCT toString(date.truncate('month', coalesce(record.occurred_at, record.known_from))) AS day ORDER BY day DESC
