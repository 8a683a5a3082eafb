// Phrase: facts not confirmed for $days days
// Purpose: live facts, without plans whose day has passed, that were neither said nor said again for so long.
// Parameters: user_id (whose graph, a text), days (a number as a text).
// Suggestions: days from days.
// Returns: paths, at most 100, the oldest first.
// Example: days "30"
MATCH way = (f:Fact {user_id: $user_id, status: 'live'})-[:ABOUT]->(:Entity)
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND coalesce(f.holds_until > datetime(), true)
WITH way, coalesce(f.said_at, f.known_from) AS said, f.last_confirmed_at AS confirmed
WITH way, CASE WHEN confirmed > said THEN confirmed ELSE said END AS last
WHERE last < datetime() - duration({days: toInteger($days)})
RETURN way ORDER BY last LIMIT 100
