// Purpose: nodes that are archived: searches pass them over and writes are refused.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node (its path below the root), since (day), records, items.
// Index: node_id.
// Result on the bundled history:
//   none
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WHERE n.known_to IS NULL AND size(coalesce(n.archivings, [])) % 2 = 1
RETURN coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS node,
       date(n.archivings[-1]) AS since, n.records AS records, n.items AS items
ORDER BY since, node LIMIT $limit
