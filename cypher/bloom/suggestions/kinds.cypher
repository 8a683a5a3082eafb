// Purpose: suggestions: kinds of entities that this graph has.
// Parameters: user_id (whose graph, a text).
// Returns: kinds.
MATCH (e:Entity {user_id: $user_id})
RETURN DISTINCT e.kind AS kind ORDER BY kind
