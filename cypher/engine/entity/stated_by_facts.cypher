// Purpose: which of these relations facts state. For the user alone: others may not learn of facts that they may not read.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at, earliest, relations (ids, at most 1,000), ended (also by facts that are over).
// Returns: relation_id.
CYPHER 25
UNWIND $relations AS relation_id
MATCH (:Record)-[v:EVIDENCE {relation_id: relation_id}]->(n:Entity) USING INDEX SEEK v:EVIDENCE(relation_id)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND v.fact_id IS NOT NULL AND v.known_to IS NULL
MATCH (f:Fact {fact_id: v.fact_id})
WHERE f.status = 'live' OR $ended AND f.status IN ['superseded', 'invalidated']
RETURN DISTINCT relation_id
