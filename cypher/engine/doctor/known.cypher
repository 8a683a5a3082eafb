// Purpose: whether the graph knows a node or a record. Operator only. Parameters: subject_id. Returns: known.
OPTIONAL MATCH (n:Node {node_id: $subject_id})
OPTIONAL MATCH (r:Record {record_id: $subject_id})
RETURN n IS NOT NULL OR r IS NOT NULL AS known LIMIT 1
