// Phrase: what was merged
// Purpose: entities that are read as one.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
MATCH way = (:Entity {user_id: $user_id})-[merge:SUPERSEDES]->(:Entity)
WHERE merge.known_to IS NULL
RETURN way
