// Phrase: who may be the same
// Purpose: pairs of entities that may be one, which the user has not decided.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
MATCH way = (:Entity {user_id: $user_id})-[pair:POSSIBLY_SAME]->(:Entity)
WHERE pair.decided IS NULL
RETURN way
