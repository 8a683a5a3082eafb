// Purpose: who may read the nodes of a name by grants that hold, at the node itself or above it.
// Parameters: user_id (text: whose graph), node (text: the name of a node), limit (number: rows at most).
// Returns: node, reader (name of a persona, else the id), kind, granted (the node at which), mode, fields.
// Index: node_name.
// Result on the bundled history with node "Knee":
//   none
CYPHER 25
MATCH (n:Node {user_id: $user_id, name_key: toLower($node)})
USING INDEX SEEK n:Node(user_id, name_key)
MATCH way = (n)<-[:HAS_CHILD*0..5]-(top:Node)<-[g:GRANTED]-(s:Subject)
WHERE length(way) - 1 <= g.depth AND g.revoked_at IS NULL AND coalesce(g.expires_at > datetime(), true)
RETURN n.name AS node, coalesce(COLLECT { MATCH (p:Node {node_id: s.subject_id}) USING INDEX SEEK p:Node(node_id) RETURN p.name }[0], s.subject_id) AS reader, s.kind AS kind,
       top.name AS granted, g.mode AS mode, g.fields AS fields
ORDER BY node, reader, granted LIMIT $limit
