// Purpose: the facts that held at one time, by what was known at another; an end that was taken back since counts as never known.
// Parameters: user_id (text: whose graph), as_of (time: what was true then), known_at (time: what was known then), limit (number: rows at most).
// Returns: fact (its caption), since and until (days; of a plan its day), status (of today).
// Index: fact_of_user.
// Result on the bundled history with as_of "2024-01-01", known_at "9999-12-31":
//   fact                             since       until       status
//   Ellen lives at 27 Birch Street.  2023-06-01  2025-10-18  superseded
CYPHER 25
MATCH (f:Fact {user_id: $user_id})
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND f.caption IS NOT NULL AND f.known_from <= datetime($known_at)
  AND coalesce(f.valid_from, f.said_at, f.known_from) <= datetime($as_of)
  AND (coalesce(f.invalidated_at > datetime($known_at), false)  // its end was not known yet
       OR f.status <> 'withdrawn' AND coalesce(coalesce(f.valid_to, f.invalidated_at, f.holds_until) > datetime($as_of), true))
RETURN f.caption AS fact, date(coalesce(f.valid_from, f.said_at, f.known_from)) AS since, date(coalesce(f.valid_to, f.holds_until)) AS until, f.status AS status
ORDER BY since, fact LIMIT $limit
