// Phrase: records at $node
// Purpose: the newest records that a node itself holds.
// Parameters: user_id (whose graph, a text), node (a path below the root, or the name of a node).
// Suggestions: node from nodes.
// Returns: paths, at most 50.
// Example: node "Hobbies/Fishing"
MATCH place = (root:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
USING INDEX SEEK root:Node(node_id)
WITH place, n, substring(reduce(path = '', p IN tail(nodes(place)) | path + '/' + p.name), 1) AS path
WHERE toLower($node) IN [toLower(path), toLower(n.name)]
MATCH way = (n)-[:HOLDS]->(record:Record)
RETURN way ORDER BY coalesce(record.occurred_at, record.known_from) DESC LIMIT 50
