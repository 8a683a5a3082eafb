// Purpose: live facts, without plans whose day has passed, that nothing has confirmed for long: neither said nor said again since. The oldest first.
// Parameters: user_id (text: whose graph), days (number: at least so many), at (day: to which they are counted), limit (number: rows at most).
// Returns: subject (of the fact, else an entity that it names, if any), fact (its caption), last (the day when it was said or confirmed last), days (since then).
// Index: fact_of_user.
// Result on the bundled history with days 365, at "2026-11-01":
//   subject  fact                           last        days
//   Ellen    Ellen lives at 8 Osprey Lane.  2025-10-18  379
CYPHER 25
MATCH (f:Fact {user_id: $user_id, status: 'live'})
USING INDEX SEEK f:Fact(user_id, fact_id)
WHERE f.fact_id IS NOT NULL AND coalesce(f.holds_until > datetime($at), true)
WITH f, coalesce(f.said_at, f.known_from) AS said
WITH f, date(CASE WHEN f.last_confirmed_at > said THEN f.last_confirmed_at ELSE said END) AS last
WITH f, last, duration.inDays(last, date($at)).days AS days
WHERE days >= $days
RETURN head(COLLECT {
  MATCH (f)-[about:ABOUT]->(:Entity)<-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity {active: true})
  RETURN e.name ORDER BY coalesce(about.primary, false) DESC, e.name LIMIT 1
}) AS subject, f.caption AS fact, last, days ORDER BY last, fact LIMIT $limit
