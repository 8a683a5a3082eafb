// Purpose: the records that the graph has at nodes. Parameters: user_id, nodes (ids). Returns: record_id.
MATCH (n:Node)-[:HOLDS]->(r:Record)
WHERE n.node_id IN $nodes AND n.user_id = $user_id
RETURN DISTINCT r.record_id AS record_id LIMIT 100000
