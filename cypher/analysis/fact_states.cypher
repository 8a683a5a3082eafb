// Purpose: how many facts there are of each type and state.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: type, status, facts, subjects (entities that they are about), private (facts).
// Index: fact_of_user.
// Result on the bundled history:
//   type  status      facts  subjects  private
//   fact  live        1      1         0
//   fact  superseded  1      1         0
CYPHER 25
MATCH (f:Fact {user_id: $user_id})
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND f.caption IS NOT NULL
OPTIONAL MATCH (f)-[:ABOUT {primary: true}]->(e:Entity)
RETURN f.fact_type AS type, f.status AS status, count(DISTINCT f) AS facts, count(DISTINCT e) AS subjects,
       count(DISTINCT CASE WHEN f.privacy = 'private' THEN f END) AS private
ORDER BY facts DESC, type, status LIMIT $limit
