// Purpose: live facts, without plans whose day has passed, that most records state.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: fact (its caption), records, first and last (days of these).
// Index: fact_of_user.
// Result on the bundled history with limit 3:
//   fact                           records  first       last
//   Ellen lives at 8 Osprey Lane.  1        2025-10-18  2025-10-18
CYPHER 25
MATCH (f:Fact {user_id: $user_id, status: 'live'})<-[s:STATES]-(r:Record)
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND s.known_to IS NULL AND coalesce(f.holds_until > datetime(), true)
RETURN f.caption AS fact, count(DISTINCT r) AS records, date(min(coalesce(r.occurred_at, r.known_from))) AS first, date(max(coalesce(r.occurred_at, r.known_from))) AS last
ORDER BY records DESC, fact LIMIT $limit
