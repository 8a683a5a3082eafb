// Purpose: how many records mention two of these entities, or of those that were merged into them, for each pair, for the user; of the newest mentions of each.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at (the end of time is now), entity_ids,
//   most (mentions of an entity that are looked at), limit.
// Returns: first_id, other_id, records; those with most records first.
WITH $as_of AS as_of
UNWIND $entity_ids AS entity_id
MATCH (n:Entity)-[merges:SUPERSEDES*0..]->(asked:Entity {entity_id: entity_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(n) WHERE part.holds(merge) }
WITH DISTINCT as_of, n
CALL (as_of, n) {
  MATCH (n)-[merges:SUPERSEDES*0..]->(member:Entity)
  WHERE all(merge IN merges WHERE part.holds(merge))
  MATCH (member)<-[m:MENTIONS]-(r:Record)
  WHERE m.known_to IS NULL AND part.holds_now(r)
  WITH DISTINCT r ORDER BY r.known_from DESC LIMIT $most
  RETURN r
}
WITH r, n ORDER BY n.entity_id
WITH r, collect(n) AS named
WHERE size(named) > 1
UNWIND range(0, size(named) - 2) AS first
UNWIND range(first + 1, size(named) - 1) AS other
WITH named[first].entity_id AS first_id, named[other].entity_id AS other_id, count(*) AS records
RETURN first_id, other_id, records ORDER BY records DESC, first_id, other_id LIMIT $limit
