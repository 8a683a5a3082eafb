// Purpose: the relations that most records state, the surest first among equals; those that are over have an end. Without those that the user has set aside.
// Parameters: user_id (whose graph, a text), limit.
// Returns: source, relation, target, records, confidence, since, until.
// Result on the bundled history with limit 20:
//   source         relation    target         records  confidence  since  until
//   Bob Harlan     SIBLING_OF  Ellen          2        0.997
//   Bob Harlan     CLIENT_OF   Joan Petrie    1        0.95
//   Bob Harlan     IN_LAW_OF   Dave Kowalski  1        0.95
//   Bob Harlan     MARRIED_TO  Marianne       1        0.95
//   Ruth           PARENT_OF   Bob Harlan     1        0.95
//   Dave Kowalski  OWNS        Birch Street   1        0.9                2025-11-09
//   Ellen          OWNS        Birch Street   1        0.9                2025-11-09
//   Owen           OWNS        Delta          1        0.81        2025
//   Dave Kowalski  MARRIED_TO  Ellen          1        0.765       2003
//   Dave Kowalski  WORKS_FOR   Bob Harlan     1        0.765
CYPHER 25
MATCH (source:Entity {user_id: $user_id})-[relation]->(target:Entity)
WHERE relation.relation_id IS NOT NULL AND relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0
RETURN source.name AS source, relation.name AS relation, target.name AS target, relation.strength AS records,
       round(relation.confidence, 3) AS confidence, relation.since AS since, relation.until AS until
ORDER BY records DESC, confidence DESC, source, relation, target LIMIT $limit
