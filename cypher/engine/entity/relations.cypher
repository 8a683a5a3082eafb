// Purpose: the relations of entities, and of those that were merged into them, in both directions, as they are now, for the user; first those with a
//   wanted entity, then the strongest.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at (the end of time is now),
//   entity_ids, among (only those from one of these entities to another one), ended (also relations that are over or archived), wanted
//   (their types or the ids of their other entities, with blank ones to 11: one size class; all of them where it begins with *), limit.
// Returns: relations [[entity_id, other of these entities (of `among`, else null), relation_id, relation_type, outgoing, other_id, other_name, other_kind,
//   strength, confidence, since, until, archived, properties (a text)]]: one row, which the
//   driver reads six times as fast as a thousand, and lists faster than maps.
WITH $as_of AS as_of
UNWIND $entity_ids AS entity_id
MATCH (n:Entity)-[merges:SUPERSEDES*0..]->(asked:Entity {entity_id: entity_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(n) WHERE part.holds(merge) }
WITH DISTINCT as_of, n
MATCH (n)-[merges:SUPERSEDES*0..]->(member:Entity)
WHERE all(merge IN merges WHERE part.holds(merge))
WITH as_of, collect({whole: n, member: member}) AS members
UNWIND members AS one
WITH as_of, members, one.whole AS n, one.member AS member
MATCH (member)-[relation]-(other:Entity)
WHERE relation.strength > 0 AND ($ended OR (relation.until IS NULL OR relation.until > toString(date(as_of))) AND NOT part.archived(relation))
  AND ($wanted[0] = '*' OR relation.name IN $wanted OR other.entity_id IN $wanted)
  AND (NOT $among OR startNode(relation) = member AND any(one IN members WHERE one.member = other AND one.whole <> n))
WITH as_of, members, n, member, relation, other ORDER BY other.entity_id IN $wanted DESC, relation.strength DESC, relation.confidence DESC, other.key, relation.name, startNode(relation) = member, relation.relation_id LIMIT $limit
RETURN collect([n.entity_id, CASE WHEN $among THEN [one IN members WHERE one.member = other | one.whole.entity_id][0] END,
                relation.relation_id, relation.name, startNode(relation) = member, other.entity_id, other.name, other.kind, relation.strength,
                relation.confidence, relation.since, relation.until, part.archived(relation), relation.properties]) AS relations
