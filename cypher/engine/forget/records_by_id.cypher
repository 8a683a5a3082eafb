// Purpose: records of a user's graph with their nodes, also those that hold no more; for the service. Parameters: user_id, records (ids). Returns: record_id,
//   node_id, source_id.
MATCH (n:Node)-[:HOLDS]->(r:Record)
WHERE n.user_id = $user_id AND r.record_id IN $records
RETURN DISTINCT r.record_id AS record_id, n.node_id AS node_id, r.source_id AS source_id
ORDER BY record_id LIMIT 10000
