// Purpose: nodes that no search by meaning finds: the shell has no vector.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node, type, items.
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND n.known_to IS NULL AND n.embedding IS NULL AND n.embedding_b IS NULL
RETURN n.name AS node, n.node_type AS type, n.items AS items
ORDER BY items DESC, node LIMIT $limit
