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
OPTIONAL MATCH (r)<-[:HOLDS]-(:Node)<-[a:ANCHORED_AT]-(e)
OPTIONAL MATCH (:User)-[k:MENTIONED]->(e)
FOREACH (_ IN CASE WHEN m.known_to IS NULL THEN [1] ELSE [] END | SET a.mentions = a.mentions - 1, e.mentions = e.mentions - 1)
SET k.times = k.times - 1
FOREACH (_ IN CASE WHEN k.source = r.record_id THEN [1] ELSE [] END | SET k.source = null, k.context = null)
DELETE m
WITH e, k, count(*) AS mentions
WITH e, k, mentions, CASE WHEN k IS NOT NULL AND k.source IS NULL THEN part.last_mention(e) END AS last
SET k.at = coalesce(last.at, k.at), k.source = coalesce(last.record_id, k.source), k.context = coalesce(last.context, k.context)
WITH e, mentions
CALL (e) {
  WITH e WHERE NOT EXISTS { (:Record)-[:MENTIONS]->(e) } AND NOT EXISTS { (e)-[:SUPERSEDES]-(:Entity) }
  OPTIONAL MATCH (alias:Alias)-[:NAMES]->(e)
  DETACH DELETE alias, e
}
RETURN sum(mentions) AS withdrawn
