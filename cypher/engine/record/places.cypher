// Purpose: records of the user's own graph with their nodes. Parameters: user_id, principal and kind (who asks), records (ids). Returns: record_id,
//   node_id, title ('' of one that does not hold), source_id.
MATCH (n:Node)-[:HOLDS]->(r:Record)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND r.record_id IN $records
RETURN r.record_id AS record_id, n.node_id AS node_id,
       CASE WHEN r.known_to IS NULL AND coalesce(r.valid_to > datetime(), true) THEN r.title ELSE '' END AS title, r.source_id AS source_id
ORDER BY record_id LIMIT 10000
