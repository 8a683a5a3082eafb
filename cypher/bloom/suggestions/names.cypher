// Purpose: suggestions: names of entities, those mentioned most first.
// Parameters: user_id (whose graph, a text).
// Returns: at most 1,000.
MATCH (e:Entity {user_id: $user_id, active: true})
USING INDEX SEEK e:Entity(user_id, active)
RETURN e.name AS name ORDER BY e.mentions DESC, name LIMIT 1000
