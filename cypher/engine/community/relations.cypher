// Purpose: the relations of a user's graph that hold, the strongest first.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), as_of, known_at and earliest (of no use here), limit.
// Returns: relation_id, relation_type, source_id, target_id, strength, confidence, since.
CYPHER 25
WITH $as_of AS as_of
MATCH (n:Entity {user_id: $user_id})-[relation]->(other:Entity)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND n.key IS NOT NULL AND relation.strength > 0 AND (relation.until IS NULL OR relation.until > toString(date(as_of)))
    AND NOT part.archived(relation)
RETURN relation.relation_id AS relation_id, relation.name AS relation_type, n.entity_id AS source_id, other.entity_id AS target_id,
       relation.strength AS strength, relation.confidence AS confidence, relation.since AS since
ORDER BY strength DESC, confidence DESC, relation_id LIMIT $limit
