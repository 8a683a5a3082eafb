// Phrase: what was merged
// Purpose: entities that are read as one.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
MATCH way = (e:Entity {user_id: $user_id})-[merge:SUPERSEDES]->(:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND merge.known_to IS NULL
RETURN way
