// Purpose: takes away facts that a discarded commit may have entered; those of other commits that it changed are carried again by a job. Operator only.
//   Idempotent. Parameters: facts [{record_id, commit_id, user_id}]. Returns: withdrawn (facts).
CYPHER 25
UNWIND $facts AS row
MATCH (f:Fact {commit_id: row.commit_id})<-[:STATES]-(:Record {record_id: row.record_id})
WHERE f.user_id = row.user_id
WITH DISTINCT f
CALL (f) {
  MATCH (f)-[:ABOUT]->(e:Entity)
  WHERE f.status = 'live'
  SET e.fact_count = e.fact_count - 1
}
DETACH DELETE f
RETURN count(*) AS withdrawn
