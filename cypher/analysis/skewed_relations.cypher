// Purpose: relations that do not count as many records as state them, with those that none states. `neurigraph doctor` finds and mends what this shows.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: source, relation, target, records (as the relation says), evidence (records that state it).
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (source:Entity {user_id: $user_id})-[relation]->(target:Entity)
USING INDEX SEEK source:Entity(user_id, active)
WHERE source.active IS NOT NULL AND relation.relation_id IS NOT NULL
WITH source, relation, target, COUNT {
  MATCH (source)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(:Record)
  USING INDEX SEEK v:EVIDENCE(relation_id)
  WHERE v.known_to IS NULL
} AS evidence
WHERE relation.strength <> evidence
RETURN source.name AS source, relation.name AS relation, target.name AS target, relation.strength AS records, evidence
ORDER BY source, relation, target LIMIT $limit
