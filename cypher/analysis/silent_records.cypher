// Purpose: records that mention no entity but their speakers.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node, record (its title), type, day, items.
// Index: node_name.
// Result on the bundled history with limit 5:
//   node        record                   type          day         items
//   Bob Harlan  The opener, and Fridays  conversation  2025-05-04  2
//   Fishing     The opener, and Fridays  conversation  2025-05-04  1
//   Business    The green truck is gone  conversation  2025-06-22  1
//   Business    The Copper Loon invoice  conversation  2025-11-09  1
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND NOT EXISTS { (r)-[m:MENTIONS {role: 'mention'}]->(:Entity) WHERE m.known_to IS NULL }
RETURN n.name AS node, r.title AS record, r.content_type AS type, date(coalesce(r.occurred_at, r.known_from)) AS day, r.items AS items
ORDER BY day, node LIMIT $limit
