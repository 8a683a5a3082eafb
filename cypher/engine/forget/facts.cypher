// Purpose: erases facts: these, and those that these records stated first; what they are about counts them no more. Idempotent.
// Parameters: user_id, records (ids), facts (ids). Returns: counts, by label and type.
CYPHER 25
CALL () {
  UNWIND $facts AS fact_id
  MATCH (f:Fact {fact_id: fact_id})
  WHERE f.user_id = $user_id
  RETURN f
  UNION
  UNWIND $records AS record_id
  MATCH (:Record {record_id: record_id})-[:STATES]->(f:Fact)
  WHERE f.user_id = $user_id AND f.record_id = record_id
  RETURN f
}
SET f.user_id = f.user_id  // takes the lock
WITH collect(f) AS gone
CALL (gone) {
  UNWIND gone AS f
  MATCH (f)-[:ABOUT]->(e:Entity)
  WHERE f.status = 'live'
  SET e.fact_count = e.fact_count - 1
}
CALL (gone) {
  UNWIND gone AS f
  MATCH (f)-[:ABOUT]->(:Entity)<-[:SUPERSEDES*0..]-(:Entity)-[:IN_COMMUNITY]->(c:Community)
  WITH DISTINCT c
  DETACH DELETE c
  RETURN count(*) AS communities
}
CALL (gone) {
  UNWIND gone AS f
  MATCH (f)-[link]-()
  WITH DISTINCT link, type(link) AS kind
  DELETE link
  WITH kind, count(*) AS links
  RETURN collect([kind, links]) AS links
}
FOREACH (f IN gone | DELETE f)
RETURN [['Fact', size(gone)], ['Community', communities]] + links AS counts
