// Purpose: relations that the user has set aside, whatever states them.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: source, relation, target, records (that state it), since (day when it was set aside), reason.
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (source:Entity {user_id: $user_id})-[relation]->(target:Entity)
USING INDEX SEEK source:Entity(user_id, active)
WHERE source.active IS NOT NULL AND relation.relation_id IS NOT NULL AND size(coalesce(relation.archivings, [])) % 2 = 1
RETURN source.name AS source, relation.name AS relation, target.name AS target, relation.strength AS records,
       date(relation.archivings[-1]) AS since, relation.archived_reason AS reason
ORDER BY since, source, relation, target LIMIT $limit
