// Purpose: the relations of an entity as somebody would write it by hand: no rights, no past, no merges. For a benchmark.
// Parameters: entity_id, limit. Returns: relation_id, relation_type, other_id, other_name, strength, confidence.
MATCH (n:Entity {entity_id: $entity_id})-[relation]-(other:Entity)
WHERE relation.relation_id IS NOT NULL
RETURN relation.relation_id AS relation_id, relation.name AS relation_type, other.entity_id AS other_id, other.name AS other_name,
       relation.strength AS strength, relation.confidence AS confidence
ORDER BY strength DESC, confidence DESC, relation_id LIMIT $limit
