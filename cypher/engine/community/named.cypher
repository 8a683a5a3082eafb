// Purpose: the names of entities by their ids, for the user alone; without those that are part of another one.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), entities (ids). Returns: entity_id, name.
MATCH (e:Entity)
WHERE e.entity_id IN $entities AND e.user_id = $user_id AND $principal = $user_id AND trim($kind) = 'user' AND e.active
RETURN e.entity_id AS entity_id, e.name AS name
ORDER BY entity_id LIMIT 100
