// Purpose: the names of entities by their ids, for the user alone; without those that are part of another one.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), entities (ids). Returns: entity_id, name.
MATCH (n:Entity)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND n.entity_id IN $entities AND n.active
RETURN n.entity_id AS entity_id, n.name AS name
ORDER BY entity_id LIMIT 100
