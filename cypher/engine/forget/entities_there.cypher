// Purpose: which of these entities are there. Parameters: user_id, entities (ids). Returns: entity_id.
MATCH (e:Entity)
WHERE e.entity_id IN $entities AND e.user_id = $user_id
RETURN e.entity_id AS entity_id LIMIT 100000
