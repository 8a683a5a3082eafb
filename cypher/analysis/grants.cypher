// Purpose: grants that hold: who may read below which node, and what.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: reader (name of a persona, else the id), kind, node (its path below the root), layers (below the node
//   that it reaches), mode, fields, until (day), past (whether it shows what was before it).
// Index: node_id.
// Result on the bundled history:
//   none
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)<-[g:GRANTED]-(s:Subject)
USING INDEX SEEK root:Node(node_id)
WHERE g.revoked_at IS NULL AND coalesce(g.expires_at > datetime(), true)
RETURN coalesce(COLLECT { MATCH (p:Node {node_id: s.subject_id}) USING INDEX SEEK p:Node(node_id) RETURN p.name }[0], s.subject_id) AS reader, s.kind AS kind,
       coalesce(nullIf(substring(reduce(path = '', p IN nodes(way)[1..-1] | path + '/' + p.name), 1), ''), '/') AS node,
       g.depth AS layers, g.mode AS mode, g.fields AS fields, date(g.expires_at) AS until, coalesce(g.past, false) AS past
ORDER BY reader, node LIMIT $limit
