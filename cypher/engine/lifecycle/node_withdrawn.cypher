// Purpose: takes away what a discarded commit may have written of a node: nothing was ever held or hung there. Operator only.
// Parameters: node {node_id, user_id}. Returns: withdrawn (shells).
MATCH (n:Node {node_id: $node.node_id})
WHERE n.user_id = $node.user_id AND NOT EXISTS { (n)-[:HOLDS]->() } AND NOT EXISTS { (n)-[:HAS_CHILD]->() }
DETACH DELETE n
RETURN count(*) AS withdrawn
