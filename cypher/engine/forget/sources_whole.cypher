// Purpose: which of these sources have no other records than these; for the service. Parameters: user_id, sources (ids as they are stored), records (ids). Returns:
//   source_id.
MATCH (n:Node)-[:HOLDS]->(r:Record)
WHERE n.user_id = $user_id AND r.source_id IN $sources
  AND n.name_key IS NOT NULL  // lets the index on user and name find all nodes of a user
WITH r.source_id AS source_id, collect(r.record_id) AS ids
WHERE all(one IN ids WHERE one IN $records)
RETURN source_id ORDER BY source_id LIMIT 10000
