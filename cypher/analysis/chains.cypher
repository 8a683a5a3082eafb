// Purpose: facts that replaced others: what holds now, and what held before it, the newest first. The longest chains first.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: fact (that replaced the others), status, before (captions), steps.
// Index: fact_of_user.
// Result on the bundled history:
//   fact                           status  before                           steps
//   Ellen lives at 8 Osprey Lane.  live    Ellen lives at 27 Birch Street.  1
CYPHER 25
MATCH way = (f:Fact {user_id: $user_id})-[:SUPERSEDES*1..100]->(last:Fact)
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND f.status <> 'withdrawn' AND NOT EXISTS { (:Fact)-[:SUPERSEDES]->(f) } AND NOT EXISTS { (last)-[:SUPERSEDES]->(:Fact) }
RETURN f.caption AS fact, f.status AS status, [one IN tail(nodes(way)) | one.caption] AS before, length(way) AS steps
ORDER BY steps DESC, fact LIMIT $limit
