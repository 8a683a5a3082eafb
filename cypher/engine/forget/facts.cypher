// Purpose: erases facts: these, and those that these records stated first; what they are about counts them no more, and what records that confirmed one state names another. Idempotent.
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
CALL (gone) {  // a record that confirmed one says it by a fact of its own now, or confirms another one
  UNWIND gone AS f
  MATCH (f)<-[before:STATES]-(line:Record)
  WHERE line.record_id <> f.record_id
  WITH f, line, before, COLLECT {
    MATCH (line)-[now:STATES]->(other:Fact)
    WHERE now.fact_id = before.fact_id AND other <> f AND NOT other IN gone
    RETURN other.fact_id ORDER BY now.known_to IS NOT NULL LIMIT 1
  }[0] AS other
  WITH f, line, coalesce(other, before.fact_id) AS fact_id
  MATCH (line)-[said:EVIDENCE|INTENDS]->(:Entity)
  WHERE said.item_id = f.fact_id OR said.fact_id = f.fact_id
  SET said.item_id = fact_id, said.ended_with = CASE WHEN said.ended_with = f.fact_id THEN null ELSE said.ended_with END,
      said.withdrawn_with = CASE WHEN said.withdrawn_with = f.fact_id THEN null ELSE said.withdrawn_with END,
      said.fact_id = CASE WHEN said.fact_id IS NOT NULL THEN fact_id END
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
