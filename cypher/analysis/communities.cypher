// Purpose: the communities of a graph as the job `communities` last built them, the largest first. `community` shows the members of one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: community (the name of its most central member), members.
// Index: community_user.
// Result on the bundled history with limit 1:
//   community  members
//   Iris       25
CYPHER 25
MATCH (c:Community {user_id: $user_id})
USING INDEX SEEK c:Community(user_id)
MATCH (e:Entity)-[:IN_COMMUNITY]->(c)
WHERE e.active
WITH c, e ORDER BY coalesce(e.importance, 0) DESC, e.name
WITH c, collect(e.name) AS names
RETURN names[0] AS community, size(names) AS members
ORDER BY members DESC, community LIMIT $limit
