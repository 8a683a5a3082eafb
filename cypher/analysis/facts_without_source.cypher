// Purpose: facts that no record of today states, and which are not withdrawn.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: fact (its caption), status, day (when it was said).
// Index: fact_of_user.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (f:Fact {user_id: $user_id})
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND f.status <> 'withdrawn' AND NOT EXISTS { (f)<-[s:STATES]-(:Record) WHERE s.known_to IS NULL }
RETURN f.caption AS fact, f.status AS status, date(coalesce(f.said_at, f.known_from)) AS day
ORDER BY day, fact LIMIT $limit
