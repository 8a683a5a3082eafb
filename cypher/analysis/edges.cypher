// Purpose: the edges between nodes, those that are over with their end.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: source and target (paths below the root), type, since and until (days).
// Index: node_id.
// Result on the bundled history with limit 5:
//   source                   type         target                since  until
//   Business/Employees/Dave  same_person  Hobbies/Fishing/Dave
//   Business/Finances        answered_by  Business/Bookkeeper
//   Business/Products        sold_to      Business/Clients
//   Business/Vehicles        financed_by  Business/Finances
//   Business/Workshop        financed_by  Business/Finances
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WITH root, n, coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS source
MATCH (n)-[e]->(o:Node)
WHERE e.edge_id IS NOT NULL AND e.known_to IS NULL AND type(e) <> 'WAS_RELATED'
MATCH way = (root)-[:HAS_CHILD*0..5]->(o)
RETURN source, e.edge_type AS type, coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS target,
       date(e.valid_from) AS since, date(e.valid_to) AS until
ORDER BY source, type, target LIMIT $limit
