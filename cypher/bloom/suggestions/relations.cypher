// Purpose: suggestions: types of relations that hold in this graph, as words.
// Parameters: user_id (whose graph, a text).
// Returns: at most 200.
MATCH (e:Entity {user_id: $user_id})-[r]->(:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND r.relation_id IS NOT NULL AND r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true)
RETURN DISTINCT toLower(replace(r.name, '_', ' ')) AS relation ORDER BY relation LIMIT 200
