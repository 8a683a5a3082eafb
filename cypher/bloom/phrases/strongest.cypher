// Phrase: the strongest relations
// Purpose: the relations that hold and that most records state.
// Parameters: user_id (whose graph, a text).
// Returns: paths, at most 20.
MATCH way = (e:Entity {user_id: $user_id})-[r]->(:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND r.relation_id IS NOT NULL AND r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true)
RETURN way ORDER BY r.strength DESC, r.confidence DESC LIMIT 20
