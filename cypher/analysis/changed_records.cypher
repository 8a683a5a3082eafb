// Purpose: records whose line in the manifest was changed: title or time were others before.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: record (its title today), before (the title then), valid_from, valid_to, known_from and known_to (of what was before; days).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)-[:WAS]->(s:Past)
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND r.known_to IS NULL AND (s.title <> r.title OR coalesce(s.occurred_at <> r.occurred_at, false))
RETURN r.title AS record, s.title AS before, date(s.valid_from) AS valid_from, date(s.valid_to) AS valid_to,
       date(s.known_from) AS known_from, date(s.known_to) AS known_to
ORDER BY record, s.known_from, s.valid_from LIMIT $limit
