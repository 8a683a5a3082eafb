// Purpose: live facts of which no entity is the subject: they are listed under no entity, and replace nothing.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: fact (its caption), names (entities that it names), day (when it was said).
// Index: fact_of_user.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (f:Fact {user_id: $user_id, status: 'live'})
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND NOT EXISTS { (f)-[:ABOUT {primary: true}]->(:Entity) }
RETURN f.caption AS fact, COLLECT { MATCH (f)-[:ABOUT]->(e:Entity) RETURN e.name ORDER BY e.name } AS names, date(coalesce(f.said_at, f.known_from)) AS day
ORDER BY day, fact LIMIT $limit
