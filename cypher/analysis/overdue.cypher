// Purpose: open intentions that were due before a day, the oldest first; one that was due in a month, when the month is over. Merged entities are one.
// Parameters: user_id (text: whose graph), at (day: before which they were due), limit (number: rows at most).
// Returns: who, intention, due, days (since then), record (its title).
// Index: intention_user.
// Result on the bundled history with at "2026-03-01":
//   none
CYPHER 25
MATCH (r:Record)-[i:INTENDS {user_id: $user_id}]->(member:Entity)
USING INDEX SEEK i:INTENDS(user_id)
WHERE i.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND i.state = 'open' AND i.due < left($at, size(i.due))
MATCH (member)<-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
WHERE e.active
RETURN e.name AS who, i.text AS intention, i.due AS due, duration.inDays(date(i.due), date($at)).days AS days, r.title AS record
ORDER BY due, who, intention LIMIT $limit
