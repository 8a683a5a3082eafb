// Purpose: the records of sources in a user's graph with their nodes, also those that hold no more; for the service. Parameters: user_id, sources (ids as they are
//   stored). Returns: record_id, node_id, source_id.
MATCH (n:Node)-[:HOLDS]->(r:Record)
WHERE n.user_id = $user_id AND r.source_id IN $sources
  AND n.name_key IS NOT NULL  // lets the index on user and name find all nodes of a user
RETURN DISTINCT r.record_id AS record_id, n.node_id AS node_id, r.source_id AS source_id
ORDER BY record_id LIMIT 100000
