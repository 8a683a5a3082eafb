// Phrase: nodes linked with $node
// Purpose: edges between nodes that do not follow the tree, such as the same person at two places.
// Parameters: user_id (whose graph, a text), node (a path below the root, or the name of a node).
// Suggestions: node from nodes.
// Returns: paths, with the place of both ends.
// Example: node "Dave"
MATCH place = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WITH place, n, substring(reduce(path = '', p IN tail(nodes(place)) | path + '/' + p.name), 1) AS path
WHERE toLower($node) IN [toLower(path), toLower(n.name)]
MATCH edge = (n)-[e]-(other:Node)
WHERE e.edge_id IS NOT NULL AND e.known_to IS NULL AND type(e) <> 'WAS_RELATED'
MATCH other_place = ({node_id: $user_id})-[:HAS_CHILD*0..5]->(other)
RETURN place, edge, other_place
