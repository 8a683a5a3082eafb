// Purpose: makes one entity part of another, unless it is part of one already, or the other way round. Of relations of which the whole can have one at a
//   time the newest holds. Idempotent by merge_id. Both are locked first, so that of two requests that merge in a circle one finds what the other did.
// Parameters: merge {merge_id, user_id, entity_id, merged_id, at, reason, by}. Returns: merge_id; no row when an entity is missing.
MATCH (e:Entity {entity_id: $merge.entity_id}), (m:Entity {entity_id: $merge.merged_id})
WHERE e.user_id = $merge.user_id AND m.user_id = $merge.user_id
SET e.lone = false, m.lone = false
WITH e, m,
     EXISTS { (:Entity)-[one:SUPERSEDES]->(m) WHERE one.known_to IS NULL OR one.merge_id = $merge.merge_id }
     OR EXISTS { (m)-[steps:SUPERSEDES*1..]->(e) WHERE all(one IN steps WHERE one.known_to IS NULL) } AS taken
FOREACH (_ IN CASE WHEN taken THEN [] ELSE [1] END |
  CREATE (e)-[:SUPERSEDES {merge_id: $merge.merge_id, user_id: $merge.user_id, at: datetime($merge.at), reason: $merge.reason, by: $merge.by,
                           known_from: datetime($merge.at)}]->(m)
  SET m.active = false)
WITH e
CALL (e) {
  WITH part.whole(e) AS members
  UNWIND part.moved_ends(members) AS one
  WITH one.relation AS relation, one.ender AS ender
  SET relation.enders = part.enders(relation), relation.until = ender.until, relation.ended_by = ender.relation_id
}
CALL (e) {  // no record calls it by a name: its display name is one of what is merged into it
  WITH e, datetime($merge.at) AS at WHERE e.name_key IS NULL
  part.renamed_by_records(e, at)
}
RETURN $merge.merge_id AS merge_id
