// Phrase: what contradicts
// Purpose: live facts that do not agree, and two relations of an entity of which only one can hold.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
// Empty on the bundled history: it has no contradiction, as `cypher/analysis/contradictions.cypher` shows.
CALL () {
  MATCH way = (f:Fact {user_id: $user_id, status: 'live'})-[:CONTRADICTS]->(other:Fact {status: 'live'})
  USING INDEX SEEK f:Fact(user_id, fact_id)
  WHERE f.fact_id IS NOT NULL AND all(fact IN [f, other] WHERE coalesce(fact.holds_until > datetime(), true))
  RETURN way
  UNION
  MATCH way = (one:Entity)<-[a]-(e:Entity {user_id: $user_id})-[b]->(two:Entity)
  USING INDEX SEEK e:Entity(user_id, active)
  WHERE e.active IS NOT NULL AND a.functional AND b.functional AND a.name = b.name AND one.key < two.key
    AND all(r IN [a, b] WHERE r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true))
  RETURN way
}
RETURN way
