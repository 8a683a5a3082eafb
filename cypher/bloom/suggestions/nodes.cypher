// Purpose: suggestions: paths of nodes below the root; of the root, its name.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
MATCH place = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WITH n, substring(reduce(path = '', p IN tail(nodes(place)) | path + '/' + p.name), 1) AS path
RETURN CASE path WHEN '' THEN n.name ELSE path END AS path ORDER BY path LIMIT 2000
