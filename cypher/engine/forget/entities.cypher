// Purpose: the entities that records mention, which may go with them. Parameters: user_id, records (ids). Returns: entity_id.
MATCH (r:Record)-[:MENTIONS]->(e:Entity)
WHERE r.record_id IN $records AND r.user_id = $user_id
RETURN DISTINCT e.entity_id AS entity_id LIMIT 100000
