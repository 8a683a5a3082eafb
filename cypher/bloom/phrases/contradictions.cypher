// Phrase: what contradicts
// Purpose: live facts that do not agree, and two relations of an entity of which only one can hold.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
// Empty on the bundled history: it has no contradiction, as `cypher/analysis/contradictions.cypher` shows.
CALL () {
  MATCH way = (:Fact {user_id: $user_id, status: 'live'})-[:CONTRADICTS]->(:Fact {status: 'live'})
  RETURN way
  UNION
  MATCH way = (one:Entity)<-[a]-(:Entity {user_id: $user_id})-[b]->(two:Entity)
  WHERE a.functional AND b.functional AND a.name = b.name AND one.key < two.key
    AND all(r IN [a, b] WHERE r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true))
  RETURN way
}
RETURN way
