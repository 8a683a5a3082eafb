// Purpose: communities of a user's entities as they hold now, the largest first: members that are mentioned still, and the relations between them.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), as_of, known_at and earliest (the end of time is now), community_id (or
//   an empty text: all), most (members and relations of each), limit.
// Returns: community_id, size, updated_at, built_at, members [{member_id, text, kind, importance, records}], relations [{relation_id, relation_type, source_id, target_id,
//   strength}].
CYPHER 25
WITH $as_of AS as_of
MATCH (c:Community {user_id: $user_id})<-[:IN_COMMUNITY]-(n:Entity)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND ($community_id = '' OR c.community_id = $community_id)
  AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(n) WHERE part.holds(merge) }
CALL (n, as_of) {
  MATCH (n)-[merges:SUPERSEDES*0..]->(piece:Entity)
  WHERE all(merge IN merges WHERE part.holds(merge))
  RETURN collect(DISTINCT piece) AS pieces
}
WITH as_of, c, n, pieces, reduce(sum = 0, one IN pieces | sum + one.mentions) AS records
WHERE records > 0
WITH as_of, c, n, pieces, records ORDER BY coalesce(n.importance, 0) DESC, n.entity_id
WITH as_of, c, collect({entity: n, pieces: pieces, records: records}) AS members
WHERE size(members) > 1
WITH as_of, c, members, size(members) AS size ORDER BY size DESC, c.community_id LIMIT $limit
CALL (as_of, members) {
  UNWIND members AS one
  UNWIND one.pieces AS source
  MATCH (source)-[relation]->(target:Entity)
  WHERE relation.strength > 0 AND (relation.until IS NULL OR relation.until > toString(date(as_of)))
  WITH one, relation, [other IN members WHERE target IN other.pieces AND other.entity <> one.entity] AS others
  WHERE size(others) > 0
  WITH one, relation, others[0] AS other ORDER BY relation.strength * relation.confidence DESC, relation.relation_id LIMIT $most
  RETURN collect({relation_id: relation.relation_id, relation_type: relation.name, source_id: one.entity.entity_id, target_id: other.entity.entity_id,
                  strength: relation.strength}) AS relations
}
MATCH (u:Node {node_id: $user_id})
RETURN c.community_id AS community_id, size, c.updated_at AS updated_at, coalesce(u.derived_at, c.updated_at) AS built_at,
       [one IN members[..$most] | {member_id: one.entity.entity_id, text: one.entity.name, kind: one.entity.kind,
                                   importance: coalesce(one.entity.importance, 0.0), records: one.records}] AS members, relations
ORDER BY size DESC, community_id
