// Purpose: how much was recorded in each month, by when it happened.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: month, records, items, nodes (that hold them).
// Index: node_name.
// Result on the bundled history with limit 6:
//   month    records  items  nodes
//   2023-06  1        1      1
//   2024-03  3        14     3
//   2024-04  3        14     3
//   2024-05  3        14     3
//   2024-06  3        30     2
//   2024-08  5        16     5
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
RETURN left(toString(date(coalesce(r.occurred_at, r.known_from))), 7) AS month, count(r) AS records, sum(r.items) AS items, count(DISTINCT n) AS nodes
ORDER BY month LIMIT $limit
