// Purpose: takes away what a discarded commit may have written of mentions, with entities that nothing else mentions and no merge has. A record that stays
//   is read again: what the commit ended is not kept anywhere. Operator only. Idempotent.
// Parameters: mentions [{record_id, commit_id, user_id}]. Returns: withdrawn (mentions).
CYPHER 25
UNWIND $mentions AS row
MATCH (r:Record {record_id: row.record_id})
WHERE r.user_id = row.user_id
SET r.mentions_reader = null, r.relations_reader = null
WITH r, row
CALL (r, row) {
  MATCH (r)-[i:INTENDS {commit_id: row.commit_id}]->(:Entity)
  DELETE i
}
MATCH (r)-[m:MENTIONS {commit_id: row.commit_id}]->(e:Entity)
OPTIONAL MATCH (r)<-[:HOLDS]-(n:Node)
FOREACH (_ IN CASE WHEN m.known_to IS NULL THEN [1] ELSE [] END | SET e.mentions = e.mentions - 1)
FOREACH (_ IN CASE WHEN m.known_to IS NULL AND n IS NOT NULL THEN [1] ELSE [] END | SET e.places = part.counted(e, n, -1))
FOREACH (_ IN CASE WHEN e.last_record_id = r.record_id THEN [1] ELSE [] END | SET e.last_record_id = null, e.last_context = null)
DELETE m
WITH e, count(*) AS mentions
CALL (e) { part.anchored(e) }
WITH e, mentions, CASE WHEN e.last_record_id IS NULL THEN part.last_mention(e) END AS last
SET e.last_mentioned_at = coalesce(last.at, e.last_mentioned_at), e.last_record_id = coalesce(last.record_id, e.last_record_id),
    e.last_context = coalesce(last.context, e.last_context)
WITH e, mentions
CALL (e) {
  WITH e, datetime() AS at WHERE EXISTS { (:Record)-[:MENTIONS]->(e) }
  part.renamed_by_records(e, at)
}
CALL (e) {
  WITH e WHERE NOT EXISTS { (:Record)-[:MENTIONS]->(e) } AND NOT EXISTS { (e)-[:SUPERSEDES]-(:Entity) }
  OPTIONAL MATCH (alias:Alias)-[:NAMES]->(e)
  DETACH DELETE alias, e
}
RETURN sum(mentions) AS withdrawn
