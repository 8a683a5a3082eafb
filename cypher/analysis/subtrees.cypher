// Purpose: what lies in each node and below it, the largest first.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node (its path below the root), nodes (below it), records, items.
// Index: node_id.
// Result on the bundled history with limit 6:
//   node             nodes  records  items
//   /                24     75       295
//   Business         9      26       110
//   Hobbies          3      14       74
//   Hobbies/Fishing  1      10       51
//   Family           5      14       45
//   Health           2      10       37
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WHERE n.known_to IS NULL
WITH n, coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS node
MATCH (n)-[:HAS_CHILD*0..5]->(below:Node)
WHERE below.known_to IS NULL
OPTIONAL MATCH (below)-[:HOLDS]->(r:Record)
WHERE r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
RETURN node, count(DISTINCT below) - 1 AS nodes, count(r) AS records, sum(coalesce(r.items, 0)) AS items
ORDER BY items DESC, node LIMIT $limit
