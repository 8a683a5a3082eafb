// Purpose: which of these records the graph does not hold at their nodes. Operator only, any user. Parameters: records [{record_id, node_id}].
// Returns: record_id.
UNWIND $records AS wanted
OPTIONAL MATCH (r:Record {record_id: wanted.record_id})<-[:HOLDS]-(:Node {node_id: wanted.node_id})
WITH wanted, r WHERE r IS NULL
RETURN wanted.record_id AS record_id LIMIT 1000
