// Purpose: has the records that a node's manifest lists, and that lie at other nodes, listed there again. Operator only. Parameters: node_id.
// Returns: node_id, of the nodes that list them now.
MATCH (n:Node {node_id: $node_id})-[h:HOLDS]->(r:Record) WHERE r.node_id <> n.node_id
MATCH (home:Node {node_id: r.node_id}) WHERE home.user_id = r.user_id
DELETE h
MERGE (home)-[:HOLDS]->(r)
RETURN DISTINCT home.node_id AS node_id LIMIT 10000
