// Purpose: relations of which only one can hold at a time, with two targets that hold: what was said of both has the same date, or none.
//   Also live facts that contradict each other. Merged entities are one.
// Parameters: user_id (text: whose graph), functional (texts: types of which one holds at a time, as the domain file has them), limit (number: rows at most).
// Returns: source, relation, target, other (target), records (that state the first and the second); of facts whom they are about, FACT, and both captions.
// Index: entity_active, fact_of_user.
// Result on the bundled history with functional ["BORN_IN", "CAPITAL_OF", "DIED_IN", "ENGAGED_TO", "HEADQUARTERED_IN", "LIVES_IN", "MARRIED_TO",
//   "PARTNER_OF"]:
//   none
CYPHER 25
CALL () {
  MATCH (e:Entity {user_id: $user_id})-[relation]->(:Entity)
  USING INDEX SEEK e:Entity(user_id, active)
  WHERE e.active IS NOT NULL AND relation.name IN $functional AND relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0
    AND coalesce(relation.until > toString(date()), relation.until IS NULL)
  WITH relation, [end IN [startNode(relation), endNode(relation)] |
         head([(whole:Entity {active: true})-[merges:SUPERSEDES*0..8]->(end) WHERE all(merge IN merges WHERE merge.known_to IS NULL) | whole])] AS ends
  WHERE ends[0] <> ends[1]
  UNWIND CASE WHEN relation.symmetric THEN [ends, [ends[1], ends[0]]] ELSE [ends] END AS way
  WITH way[0] AS e, relation.name AS name, way[1] AS target, sum(relation.strength) AS records
  WITH e, name, collect({target: target, records: records}) AS targets
  UNWIND targets AS one
  UNWIND targets AS two
  WITH e, name, one, two WHERE one.target.key < two.target.key
  RETURN e.name AS source, name AS relation, one.target.name AS target, two.target.name AS other, [one.records, two.records] AS records
  UNION ALL
  MATCH (one:Fact {user_id: $user_id, status: 'live'})-[:CONTRADICTS]->(two:Fact {status: 'live'})
  USING INDEX SEEK one:Fact(user_id, fact_id)
  WHERE one.fact_id IS NOT NULL AND all(fact IN [one, two] WHERE coalesce(fact.holds_until > datetime(), true))
  OPTIONAL MATCH (one)-[:ABOUT {primary: true}]->(:Entity)<-[merges:SUPERSEDES*0..8]-(e:Entity {active: true})
  WHERE all(merge IN merges WHERE merge.known_to IS NULL)
  RETURN e.name AS source, 'FACT' AS relation, one.caption AS target, two.caption AS other,
         [COUNT { (one)<-[s:STATES]-(:Record) WHERE s.known_to IS NULL }, COUNT { (two)<-[s:STATES]-(:Record) WHERE s.known_to IS NULL }] AS records
}
RETURN source, relation, target, other, records ORDER BY source, relation, target, other LIMIT $limit
