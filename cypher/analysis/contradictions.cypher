// Purpose: relations of which only one can hold at a time, with two targets that hold: what was said of both has the same date, or none.
//   Also live facts that contradict each other.
//   Which relations these are stands in the domain file (`functional`); the names below are those of the bundled one.
// Parameters: user_id (whose graph, a text).
// Returns: source, relation, target, other (target), records (that state the first and the second); of facts whom they are about, FACT, and both captions.
// Result on the bundled history:
//   none
CYPHER 25
CALL () {
  MATCH (e:Entity {user_id: $user_id})-[one]-(target:Entity), (e)-[two]-(other:Entity)
  WHERE (one.name IN ['MARRIED_TO', 'PARTNER_OF', 'ENGAGED_TO'] OR startNode(one) = e AND startNode(two) = e)  // those hold in both directions
    AND size(coalesce(one.archivings, [])) % 2 = 0 AND size(coalesce(two.archivings, [])) % 2 = 0
    AND one.name IN ['MARRIED_TO', 'PARTNER_OF', 'ENGAGED_TO', 'LIVES_IN', 'BORN_IN', 'DIED_IN', 'HEADQUARTERED_IN', 'CAPITAL_OF']
    AND two.name = one.name AND target.key < other.key AND one.strength > 0 AND two.strength > 0
    AND coalesce(one.until > toString(date()), one.until IS NULL) AND coalesce(two.until > toString(date()), two.until IS NULL)
    AND NOT EXISTS { (target)-[merges:SUPERSEDES*1..8]-(other) WHERE all(merge IN merges WHERE merge.known_to IS NULL) }
  RETURN e.name AS source, one.name AS relation, target.name AS target, other.name AS other, [one.strength, two.strength] AS records
  UNION ALL
  MATCH (one:Fact {user_id: $user_id, status: 'live'})-[:CONTRADICTS]->(two:Fact {status: 'live'})
  OPTIONAL MATCH (one)-[:ABOUT {primary: true}]->(e:Entity)
  RETURN e.name AS source, 'FACT' AS relation, one.caption AS target, two.caption AS other,
         [COUNT { (one)<-[s:STATES]-(:Record) WHERE s.known_to IS NULL }, COUNT { (two)<-[s:STATES]-(:Record) WHERE s.known_to IS NULL }] AS records
}
RETURN source, relation, target, other, records ORDER BY source, relation, target, other
