// Purpose: records of one title and one time at the same node, which may be one thing stored twice.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node, record (the title), day, records (how many), items (of each).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH n, r.title AS record, coalesce(r.occurred_at, r.known_from) AS at, r ORDER BY r.items
WITH n, record, at, collect(r.items) AS items
WHERE size(items) > 1
RETURN n.name AS node, record, date(at) AS day, size(items) AS records, items
ORDER BY records DESC, node, record LIMIT $limit
