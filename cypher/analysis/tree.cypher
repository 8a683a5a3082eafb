// Purpose: the nodes of a graph by their paths, with what each holds itself.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: node (its path below the root), type, state (of its files), archived (whether it is), records, items.
// Index: node_id.
// Result on the bundled history with limit 8:
//   node                     type     state    archived  records  items
//   /                        user     dormant  false     8        17
//   Business                 concept  dormant  false     4        6
//   Business/Bookkeeper      persona  active   false     0        0
//   Business/Clients         concept  dormant  false     3        15
//   Business/Employees       concept  dormant  false     1        3
//   Business/Employees/Dave  concept  dormant  false     6        22
//   Business/Employees/Luis  concept  dormant  false     3        8
//   Business/Finances        concept  dormant  false     4        14
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WHERE n.known_to IS NULL
OPTIONAL MATCH (n)-[:HOLDS]->(r:Record)
WHERE r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH way, n, count(r) AS records, sum(coalesce(r.items, 0)) AS items
RETURN coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS node,
       n.node_type AS type, n.state AS state, size(coalesce(n.archivings, [])) % 2 = 1 AS archived, records, items
ORDER BY node LIMIT $limit
