// Purpose: the nodes of a graph as they hung and were called at one time, by what was known at another.
// Parameters: user_id (text: whose graph), as_of (time: what was true then), known_at (time: what was known then), limit (number: rows at most).
// Returns: node (its path below the root), type.
// Index: node_id.
// Result on the bundled history with as_of "2025-01-01", known_at "9999-12-31", limit 4:
//   node                 type
//   /                    user
//   Business             concept
//   Business/Bookkeeper  persona
//   Business/Clients     concept
CYPHER 25
WITH datetime($as_of) AS as_of, datetime($known_at) AS known_at
MATCH way = (root:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WHERE all(one IN relationships(way) + n WHERE coalesce(one.known_from <= known_at, true) AND coalesce(one.known_to > known_at, true)
                                         AND coalesce(one.valid_from <= as_of, true) AND coalesce(one.valid_to > as_of, true))
WITH n, [p IN tail(nodes(way)) | coalesce(head([(p)-[:WAS]->(s:Past)
       WHERE coalesce(s.known_from <= known_at, true) AND coalesce(s.known_to > known_at, true)
         AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), p.name)] AS names
RETURN coalesce(nullIf(substring(reduce(path = '', name IN names | path + '/' + name), 1), ''), '/') AS node, n.node_type AS type
ORDER BY node LIMIT $limit
