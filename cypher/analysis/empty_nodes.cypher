// Purpose: nodes that hold no record, nor does any node below them.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node (its path below the root), type, keywords.
// Index: node_id.
// Result on the bundled history:
//   node                 type     keywords
//   Business/Bookkeeper  persona  bookkeeper, hat, figures
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WHERE n.known_to IS NULL AND NOT EXISTS { (n)-[:HAS_CHILD*0..5]->(:Node)-[:HOLDS]->(r:Record) WHERE r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) }
RETURN coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS node,
       n.node_type AS type, n.keywords AS keywords
ORDER BY node LIMIT $limit
