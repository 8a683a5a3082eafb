// Phrase: the largest communities
// Purpose: groups of entities that belong together, as the job `communities` found them.
// Parameters: user_id (whose graph, a text).
// Returns: paths, of at most 10 communities.
MATCH (c:Community {user_id: $user_id})
USING INDEX SEEK c:Community(user_id)
WITH c ORDER BY c.size DESC LIMIT 10
MATCH way = (c)<-[:IN_COMMUNITY]-(:Entity)
RETURN way
