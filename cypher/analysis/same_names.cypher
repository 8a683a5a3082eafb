// Purpose: names that several nodes have, which lie at different places: one person as brother and as employee, or a node that was made twice.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: name, nodes (how many), places (their paths below the root), items (of each).
// Index: node_id.
// Result on the bundled history:
//   name  nodes  places                                                                     items
//   Dave  3      Business/Employees/Dave, Family/Siblings/Ellen/Dave, Hobbies/Fishing/Dave  22, 6, 18
CYPHER 25
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WHERE n.known_to IS NULL
WITH n, coalesce(nullIf(substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1), ''), '/') AS place
ORDER BY place
WITH n.name_key AS key, collect(n) AS nodes, collect(place) AS places
WHERE size(nodes) > 1
RETURN nodes[0].name AS name, size(nodes) AS nodes, places, [n IN nodes | n.items] AS items
ORDER BY nodes DESC, name LIMIT $limit
