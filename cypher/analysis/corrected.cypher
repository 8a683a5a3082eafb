// Purpose: entities that the user corrected: what they were called, or what they were, before.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, names (it had before), kind, kinds (it had before), reason.
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (e:Entity {user_id: $user_id})
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND (e.renamed IS NOT NULL OR e.rekinded IS NOT NULL)
RETURN e.name AS entity, coalesce(e.names_before, []) AS names, e.kind AS kind, coalesce(e.kinds_before, []) AS kinds, e.corrected_reason AS reason
ORDER BY entity LIMIT $limit
