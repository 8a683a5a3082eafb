// Purpose: the aliases of an entity and of those that were merged into it, as they are now; or the one of a type and a normal form, whosever it is. For the user.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at (the end of time is now),
//   entity_id (or empty), type and key (or empty: of that entity).
// Returns: entity_id (which has it), whole_id (as which that is read), whole_name, type, value, verified, known_from.
CYPHER 25
WITH $as_of AS as_of
CALL (as_of) {
  MATCH (e:Entity)-[merges:SUPERSEDES*0..]->(:Entity {entity_id: $entity_id})
  WHERE all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
  MATCH (e)-[below:SUPERSEDES*0..]->(n:Entity)<-[:NAMES]-(a:Alias)
  WHERE all(merge IN below WHERE part.holds(merge)) AND $key IN ['', a.key] AND $type IN ['', a.type]
  RETURN a, n
  UNION
  MATCH (a:Alias {user_id: $user_id, type: $type, key: $key})-[:NAMES]->(n:Entity)
  RETURN a, n
}
WITH as_of, a, n WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
MATCH (e:Entity)-[merges:SUPERSEDES*0..]->(n)
WHERE all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
RETURN n.entity_id AS entity_id, e.entity_id AS whole_id, e.name AS whole_name, a.type AS type, a.value AS value, a.verified AS verified, a.known_from AS known_from
ORDER BY type, value LIMIT 1000
