// Purpose: records that hold no longer: withdrawn, or without any of what they said.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node, record (its title), happened and ended (days), mentioned (entities that it named).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NOT NULL
RETURN n.name AS node, r.title AS record, date(r.occurred_at) AS happened, date(r.known_to) AS ended,
       COUNT { MATCH (r)-[:MENTIONS]->(e:Entity) RETURN DISTINCT e } AS mentioned
ORDER BY ended, record LIMIT $limit
