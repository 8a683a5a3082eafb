// Purpose: nodes that were not used for long: neither shown in an answer nor written to. The oldest use first.
// Parameters: user_id (text: whose graph), days (number: at least so many), at (day: to which they are counted), limit (number: rows at most).
// Returns: node (its path below the root), state, last (day of the last use), days (since then), items.
// Index: node_id.
// Result on the bundled history with days 365, at "2026-11-01":
//   none
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WHERE n.known_to IS NULL
WITH n, way, date(n.last_accessed_at) AS last
WITH n, way, last, duration.inDays(last, date($at)).days AS days
WHERE days >= $days
RETURN coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS node,
       n.state AS state, last, days, n.items AS items
ORDER BY last, node LIMIT $limit
