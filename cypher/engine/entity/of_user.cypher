// Purpose: the user as an entity: the one that has the user's name. For the user of the graph alone.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at and earliest (the end of time is now).
// Returns: entity_id, name, keys (of all that the user merged with it); no row where nothing speaks of the user by name.
CYPHER 25
WITH $as_of AS as_of
MATCH (n:Node {node_id: $user_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
CALL (n) {
  MATCH (:Alias {user_id: $user_id, type: 'name', key: n.name_key})-[:NAMES]->(e:Entity)
  RETURN e
  UNION
  MATCH (e:Entity {user_id: $user_id, name_key: n.name_key})
  RETURN e
}
WITH as_of, n, e WHERE e.user_id = $user_id AND e.entity_id IS NOT NULL
WITH as_of, n, e ORDER BY e.mentions DESC, e.key LIMIT 1
RETURN e.entity_id AS entity_id, n.name AS name, COLLECT {
  MATCH (e)-[joins:SUPERSEDES*0..5]-(one:Entity)
  WHERE all(join IN joins WHERE part.holds(join))
  RETURN DISTINCT one.key LIMIT 50
} AS keys
