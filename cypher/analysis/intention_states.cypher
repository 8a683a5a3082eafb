// Purpose: how many intentions each entity has in each state, with the day on which the oldest of them was said. Merged entities are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: who, state, intentions, oldest (day).
// Index: intention_user.
// Result on the bundled history:
//   who         state  intentions  oldest
//   Bob Harlan  open   5           2024-05-20
CYPHER 25
MATCH (r:Record)-[i:INTENDS {user_id: $user_id}]->(member:Entity)
USING INDEX SEEK i:INTENDS(user_id)
WHERE i.known_to IS NULL AND r.known_to IS NULL
MATCH (member)<-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
WHERE e.active
WITH e, i, date(coalesce(r.occurred_at, r.known_from)) AS said
RETURN e.name AS who, i.state AS state, count(*) AS intentions, min(said) AS oldest
ORDER BY intentions DESC, who, state LIMIT $limit
