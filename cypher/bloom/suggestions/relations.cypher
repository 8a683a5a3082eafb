// Purpose: suggestions: types of relations that this graph has, as words.
// Parameters: user_id (whose graph, a text).
// Returns: at most 200.
MATCH (e:Entity {user_id: $user_id})-[r]->(:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND r.relation_id IS NOT NULL AND r.strength > 0
RETURN DISTINCT toLower(replace(r.name, '_', ' ')) AS relation ORDER BY relation LIMIT 200
