// Purpose: suggestions: kinds of entities that this graph has.
// Parameters: user_id (whose graph, a text).
// Returns: kinds.
MATCH (e:Entity {user_id: $user_id})
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL
RETURN DISTINCT e.kind AS kind ORDER BY kind
