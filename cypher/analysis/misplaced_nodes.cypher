// Purpose: nodes that hang elsewhere than they say: below another parent, in another layer, or nowhere.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node, layer (as the node says), above (names of the nodes above it), below_other (whether that is another one than it says).
// Index: node_name.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id})
USING INDEX SEEK n:Node(user_id, name_key)
WHERE n.name_key IS NOT NULL AND n.known_to IS NULL AND n.node_id <> $user_id
OPTIONAL MATCH (n)<-[:HAS_CHILD]-(parent:Node)
WITH n, collect(parent) AS parents
WHERE size(parents) <> 1 OR parents[0].node_id <> n.parent_id OR parents[0].layer + 1 <> n.layer
RETURN n.name AS node, n.layer AS layer, [p IN parents | p.name] AS above, any(p IN parents WHERE p.node_id <> n.parent_id) AS below_other
ORDER BY node LIMIT $limit
