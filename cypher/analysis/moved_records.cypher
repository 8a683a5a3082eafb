// Purpose: records that were moved from the node at which they were stored first.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: record (its title), node (where it lies now), moved (day; none: not known), items.
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND r.moved_revision IS NOT NULL
RETURN r.title AS record, n.name AS node, date(r.moved_at) AS moved, r.items AS items
ORDER BY moved, record LIMIT $limit
