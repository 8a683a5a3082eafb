// Purpose: nodes that hung below another node before, with the days from which and until which they did.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node, before and now (names of the nodes above it then and today), since and until (days; none: from the beginning).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (above:Node {user_id: $user_id})-[was:HAD_CHILD]->(n:Node)<-[:HAS_CHILD]-(parent:Node)
USING INDEX SEEK above:Node(user_id, name_key)
WHERE above.name_key IS NOT NULL AND was.known_to IS NULL AND above <> parent
RETURN n.name AS node, above.name AS before, parent.name AS now, date(was.valid_from) AS since, date(was.valid_to) AS until
ORDER BY node, until LIMIT $limit
