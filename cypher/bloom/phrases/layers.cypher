// Phrase: the layers below $node
// Purpose: a node with all nodes below it.
// Parameters: user_id (whose graph, a text), node (a path below the root, or the name of a node).
// Suggestions: node from nodes.
// Returns: paths.
// Example: node "Family"
MATCH place = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WITH place, n, substring(reduce(path = '', p IN tail(nodes(place)) | path + '/' + p.name), 1) AS path
WHERE toLower($node) IN [toLower(path), toLower(n.name)]
MATCH way = (n)-[:HAS_CHILD*0..5]->(:Node)
RETURN way
