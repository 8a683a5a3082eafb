// Purpose: one record of these sources of a user; for the service. Parameters: user_id, sources. Returns: record_id.
MATCH (n:Node)-[:HOLDS]->(r:Record)
WHERE n.user_id = $user_id AND r.source_id IN $sources
RETURN r.record_id AS record_id
ORDER BY record_id LIMIT 1
