// Purpose: what the user decides of a relation: it is archived, or counts again; its properties. Each archiving and each end of one is kept by its time. Idempotent.
// Parameters: decision {relation_id, user_id, archived (null: as before), properties (a text, or null: as before), at, reason}.
// Returns: relation_id; no row where it is missing.
CYPHER 25
MATCH (:Record)-[:EVIDENCE {relation_id: $decision.relation_id}]->(n:Entity)
WHERE n.user_id = $decision.user_id
WITH DISTINCT n
MATCH (n)-[relation]->(:Entity)
WHERE relation.relation_id = $decision.relation_id
SET relation.archivings = coalesce(relation.archivings, [])  // takes the lock
WITH relation, datetime($decision.at) AS at, size(relation.archivings) % 2 = 1 AS archived
FOREACH (_ IN CASE WHEN $decision.archived <> archived AND coalesce(last(relation.archivings) < at, true) THEN [1] ELSE [] END |
  SET relation.archivings = relation.archivings + at, relation.archived_reason = $decision.reason)
SET relation.properties = CASE WHEN $decision.properties IS NULL OR relation.described_at >= at THEN relation.properties ELSE $decision.properties END,
    relation.described_at = CASE WHEN $decision.properties IS NULL OR relation.described_at >= at THEN relation.described_at ELSE at END
RETURN relation.relation_id AS relation_id
