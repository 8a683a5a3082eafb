// Purpose: the user as an entity: the one that has the user's name. For the user of the graph alone.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at and earliest (the end of time is now).
// Returns: entity_id, name; no row where nothing speaks of the user by name.
CYPHER 25
MATCH (n:Node {node_id: $user_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
CALL (n) {
  MATCH (:Alias {user_id: $user_id, type: 'name', key: n.name_key})-[:NAMES]->(e:Entity)
  RETURN e
  UNION
  MATCH (e:Entity {user_id: $user_id, name_key: n.name_key})
  RETURN e
}
WITH n, e WHERE e.user_id = $user_id AND e.entity_id IS NOT NULL
RETURN e.entity_id AS entity_id, n.name AS name
ORDER BY e.mentions DESC, entity_id LIMIT 1
