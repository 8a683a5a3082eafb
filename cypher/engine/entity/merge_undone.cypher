// Purpose: ends a merge: its entities are read apart again from then on, and relations of one no longer end those of the other. Idempotent.
// Parameters: undone {merge_id, user_id, at}.
// Returns: merge_id; no row when there is no such merge.
MATCH (e:Entity)-[merge:SUPERSEDES {merge_id: $undone.merge_id}]->(m:Entity)
WHERE merge.user_id = $undone.user_id
SET merge.known_to = coalesce(merge.known_to, datetime($undone.at)),
    m.active = NOT EXISTS { (:Entity)-[one:SUPERSEDES]->(m) WHERE one.known_to IS NULL AND one.merge_id <> $undone.merge_id }
WITH e, m
CALL (e, m) {
  WITH part.whole(e) + part.whole(m) AS members
  UNWIND part.moved_ends(members) AS one
  WITH one.relation AS relation, one.ender AS ender
  SET relation.enders = part.enders(relation), relation.until = ender.until, relation.ended_by = ender.relation_id
}
CALL (e) {  // no record calls it by a name: its display name is one of what is merged into it
  WITH e, datetime($undone.at) AS at WHERE e.name_key IS NULL
  part.renamed_by_records(e, at)
}
RETURN $undone.merge_id AS merge_id
