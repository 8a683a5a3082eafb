// Purpose: live facts in the same words: each was stored for itself where one would confirm the other.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: fact (its caption), times (how many there are), days (when each was said).
// Index: fact_of_user.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (f:Fact {user_id: $user_id, status: 'live'})
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL
WITH f, date(coalesce(f.said_at, f.known_from)) AS day ORDER BY day
WITH toLower(f.caption) AS words, collect(f) AS facts, collect(day) AS days
WHERE size(facts) > 1
RETURN facts[0].caption AS fact, size(facts) AS times, days
ORDER BY times DESC, fact LIMIT $limit
