// Phrase: who and what is known at $node
// Purpose: the entities of which a node speaks most: those that have it among the three nodes with most of their mentions.
// Parameters: user_id (whose graph, a text), node (a path below the root, or the name of a node).
// Suggestions: node from nodes.
// Returns: paths, at most 30.
// Example: node "Business/Employees"
MATCH place = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WITH place, n, substring(reduce(path = '', p IN tail(nodes(place)) | path + '/' + p.name), 1) AS path
WHERE toLower($node) IN [toLower(path), toLower(n.name)]
MATCH way = (n)<-[anchored:ANCHORED_AT]-(:Entity {active: true})
RETURN way ORDER BY anchored.mentions DESC LIMIT 30
