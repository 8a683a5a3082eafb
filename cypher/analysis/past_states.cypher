// Purpose: what nodes of a name were before: each earlier state with the time in which it held, and the time in which it was known.
// Parameters: user_id (text: whose graph), node (text: the name of a node today), limit (number: rows at most).
// Returns: name and summary (of then), valid_from and valid_to, known_from and known_to (days; none: without a beginning, or without an end).
// Index: node_name.
// Result on the bundled history with node "Dave":
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id, name_key: toLower($node)})-[:WAS]->(s:Past)
USING INDEX SEEK n:Node(user_id, name_key)
RETURN s.name AS name, s.summary AS summary, date(s.valid_from) AS valid_from, date(s.valid_to) AS valid_to,
       date(s.known_from) AS known_from, date(s.known_to) AS known_to
ORDER BY s.known_from, s.valid_from, name LIMIT $limit
