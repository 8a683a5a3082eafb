// Purpose: the entities of a user's graph as one with those merged into them, the most mentioned first, and the community where each belonged at the last build.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), as_of, known_at (the end of time is now), limit.
// Returns: entity_id, name, kind, members (ids, itself first), mentions, nodes (how many), last_mentioned_at, community_id or null.
CYPHER 25
WITH $as_of AS as_of
MATCH (n:Entity {user_id: $user_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND n.key IS NOT NULL AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(n) WHERE part.holds(merge) }
CALL (n, as_of) {
  MATCH (n)-[merges:SUPERSEDES*0..]->(member:Entity)
  WHERE all(merge IN merges WHERE part.holds(merge))
  WITH DISTINCT member, size(merges) AS steps ORDER BY steps, member.entity_id
  WITH collect(member) AS members
  RETURN members, reduce(sum = 0, one IN members | sum + one.mentions) AS mentions,
         COUNT { UNWIND members AS one UNWIND coalesce(one.places, []) AS place RETURN DISTINCT left(place, 36) AS place } AS nodes,
         reduce(last = n.last_mentioned_at, one IN members | CASE WHEN one.last_mentioned_at > last THEN one.last_mentioned_at ELSE last END) AS last_mentioned_at
}
WITH n, members, mentions, nodes, last_mentioned_at
WHERE mentions > 0
ORDER BY mentions DESC, n.entity_id LIMIT $limit
OPTIONAL MATCH (n)-[:IN_COMMUNITY]->(c:Community {user_id: $user_id})
RETURN n.entity_id AS entity_id, n.name AS name, n.kind AS kind, [one IN members | one.entity_id] AS members, mentions, nodes, last_mentioned_at,
       head(collect(c.community_id)) AS community_id
ORDER BY mentions DESC, entity_id
