// Purpose: the entities that a question names, the longest names first. Readers other than the user meet those that a record calls so which they may read.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at and earliest (the end of time is now), keys (normal forms of
//   all runs of words of the question), limit.
// Returns: entity_id, key (the name that was found).
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
CALL () {
  MATCH (a:Alias {user_id: $user_id})-[:NAMES]->(e:Entity)
  WHERE a.key IN $keys
  RETURN e, a.key AS key
  UNION
  MATCH (e:Entity {user_id: $user_id})  // a second one of a name, which belongs to the first
  WHERE e.name_key IN $keys
  RETURN e, e.name_key AS key
}
WITH as_of, rights, e, key
WHERE e.user_id = $user_id AND e.entity_id IS NOT NULL AND part.known_by(e, key)
RETURN e.entity_id AS entity_id, key
ORDER BY size(key) DESC, CASE WHEN $principal = $user_id THEN e.mentions ELSE 0 END DESC,
         CASE WHEN $principal = $user_id THEN e.key ELSE entity_id END LIMIT $limit
