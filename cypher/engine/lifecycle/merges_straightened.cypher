// Purpose: ends merges that cannot be read: of two that hold one entity the later one, of a circle the newest. Operator only. Idempotent.
// Parameters: user_id, at. Returns: ended (merges).
CYPHER 25
CALL () {
  MATCH (:Entity)-[merge:SUPERSEDES]->(e:Entity {user_id: $user_id})
  WHERE e.key IS NOT NULL AND merge.known_to IS NULL
  WITH e, merge ORDER BY merge.at, merge.merge_id
  WITH e, collect(merge)[1..] AS later
  UNWIND later AS merge
  SET merge.known_to = datetime($at)
  RETURN count(*) AS doubles
}
CALL () {
  MATCH (e:Entity {user_id: $user_id})-[merges:SUPERSEDES*1..]->(e)
  WHERE e.key IS NOT NULL AND all(merge IN merges WHERE merge.known_to IS NULL)
  UNWIND merges AS merge
  WITH e, merge ORDER BY merge.at DESC, merge.merge_id
  WITH e, collect(merge)[0] AS newest
  WITH DISTINCT newest
  SET newest.known_to = datetime($at)
  RETURN count(*) AS circles
}
RETURN doubles + circles AS ended
