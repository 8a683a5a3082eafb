// Purpose: the communities of a graph as the job `communities` last built them, the largest first, with those of their members that are most central.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: community, members, central (names).
// Index: community_user.
// Result on the bundled history:
//   community                            members  central
//   Iris, Mill Street, Gail Stroud, …    26       Iris, Feld, Gail Stroud, Harlan Joinery, St. Brigid
//   Bob Harlan, Dave Kowalski, Ellen, …  18       Bob Harlan, Dave Kowalski, Ellen, Joan Petrie, Ruth
//   Owen, Delta, Katie, …                16       Owen, Delta, Katie, Cedar Court, Walter
//   Marianne, Ireland, Lindy's Diner, …  15       Marianne, Ireland, Canada, Galway, Lindy's Diner
CYPHER 25
MATCH (c:Community {user_id: $user_id})
USING INDEX SEEK c:Community(user_id)
MATCH (e:Entity)-[:IN_COMMUNITY]->(c)
WHERE e.active
WITH c, e ORDER BY coalesce(e.importance, 0) DESC, e.name
WITH c, collect(e.name) AS names
RETURN c.name AS community, size(names) AS members, names[..5] AS central
ORDER BY members DESC, community LIMIT $limit
