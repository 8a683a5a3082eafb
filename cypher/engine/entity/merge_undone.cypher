// Purpose: ends a merge: its entities are read apart again from then on, and relations of one no longer end those of the other. Idempotent.
// Parameters: undone {merge_id, user_id, at}.
// Returns: merge_id; no row when there is no such merge.
MATCH (e:Entity)-[merge:SUPERSEDES {merge_id: $undone.merge_id}]->(m:Entity)
WHERE merge.user_id = $undone.user_id
SET merge.known_to = coalesce(merge.known_to, datetime($undone.at)),
    m.active = NOT EXISTS { (:Entity)-[one:SUPERSEDES]->(m) WHERE one.known_to IS NULL AND one.merge_id <> $undone.merge_id }
WITH e, m
CALL (e, m) {
  UNWIND part.whole(e) + part.whole(m) AS one
  MATCH (one)-[relation]-(:Entity)
  WHERE relation.functional AND relation.strength > 0 AND (relation.until IS NULL OR relation.ended_by IS NOT NULL)
  WITH DISTINCT relation
  WITH relation, part.ender(relation) AS ender WHERE ender.relation_id <> relation.ended_by OR (ender IS NULL) <> (relation.ended_by IS NULL)
  SET relation.enders = part.enders(relation), relation.until = ender.until, relation.ended_by = ender.relation_id
}
RETURN $undone.merge_id AS merge_id
