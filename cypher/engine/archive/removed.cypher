// Purpose: takes back what an import that did not end made of a user whom Postgres does not know: some nodes with their relationships. Operator only. Idempotent.
// Parameters: user_id, most (at once). Returns: removed; 0 once nothing is left.
CYPHER 25
CALL () {
  MATCH (n:Record {user_id: $user_id}) RETURN n
  UNION ALL
  MATCH (n:Past {user_id: $user_id}) RETURN n
  UNION ALL
  MATCH (n:Fact {user_id: $user_id}) WHERE n.fact_id IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Community {user_id: $user_id}) RETURN n
  UNION ALL
  MATCH (n:Alias {user_id: $user_id}) WHERE n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Entity {user_id: $user_id}) WHERE n.key IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Node {user_id: $user_id}) WHERE n.name_key IS NOT NULL RETURN n
}
WITH n LIMIT $most
OPTIONAL MATCH (s:Subject)-[:GRANTED]->(n)
WITH n, collect(s) AS subjects
DETACH DELETE n
WITH subjects
CALL (subjects) {
  UNWIND subjects AS s
  WITH DISTINCT s WHERE NOT EXISTS { (s)-[:GRANTED]->() }
  DELETE s
  RETURN count(*) AS without
}
RETURN count(*) AS removed
