// Purpose: in which states the files of nodes are: how many nodes, and what they hold.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: state, type (of the nodes), nodes, records, items.
// Index: node_name.
// Result on the bundled history:
//   state    type     nodes  records  items
//   active   concept  2      0        0
//   active   persona  1      0        0
//   dormant  concept  21     67       278
//   dormant  user     1      8        17
CYPHER 25
MATCH (n:Node {user_id: $user_id})
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND n.known_to IS NULL
RETURN n.state AS state, n.node_type AS type, count(n) AS nodes, sum(n.records) AS records, sum(n.items) AS items
ORDER BY state, type LIMIT $limit
