// Purpose: nodes whose counts are not those of their manifests. `neurigraph doctor` finds and mends what this shows.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node, records and items (as the node says), held and held_items (as the manifest has them).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL
OPTIONAL MATCH (n)-[:HOLDS]->(r:Record)
WITH n, count(r) AS held, sum(coalesce(r.items, 0)) AS held_items
WHERE n.records <> held OR n.items <> held_items
RETURN n.name AS node, n.records AS records, held, n.items AS items, held_items
ORDER BY node LIMIT $limit
