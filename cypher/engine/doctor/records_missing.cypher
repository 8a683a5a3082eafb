// Purpose: which of these records the graph holds at no node, where their nodes are there. Operator only, any user.
// Parameters: records [{record_id, node_id}]. Returns: record_id.
UNWIND $records AS wanted
MATCH (:Node {node_id: wanted.node_id})
WHERE NOT EXISTS { (:Node)-[:HOLDS]->(:Record {record_id: wanted.record_id}) }
RETURN wanted.record_id AS record_id LIMIT 1000
