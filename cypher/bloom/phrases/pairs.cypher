// Phrase: who may be the same
// Purpose: pairs of entities that may be one, which the user has not decided.
// Parameters: user_id (whose graph, a text).
// Returns: paths.
MATCH way = (e:Entity {user_id: $user_id})-[pair:POSSIBLY_SAME]->(:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND pair.decided IS NULL
RETURN way
