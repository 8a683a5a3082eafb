// Purpose: the relations that most records state, the surest first among equals; those that are over have an end. Without those that the user has set
//   aside. Relations of merged entities are counted together.
// Parameters: user_id (text: whose graph), limit (number: rows at most), symmetric (texts: types whose direction says nothing, as the domain file has them).
// Returns: source, relation, target, records, confidence, since, until.
// Index: entity_active.
// Result on the bundled history with limit 20, symmetric ["BORDERS", "BUSINESS_PARTNER_OF", "COLLABORATED_WITH", "COLLEAGUE_OF", "COUSIN_OF",
//   "ENEMY_OF", "ENGAGED_TO", "FRIEND_OF", "HALF_SIBLING_OF", "IN_LAW_OF", "KNOWS", "LIVES_WITH", "LOCATED_NEAR", "MARRIED_TO", "NEIGHBOR_OF",
//   "PARTNER_OF", "PLAYED_AGAINST", "SIBLING_OF", "STEP_SIBLING_OF"]:
//   source         relation    target         records  confidence  since  until
//   Bob Harlan     CLIENT_OF   Joan Petrie    1        0.95
//   Bob Harlan     IN_LAW_OF   Dave Kowalski  1        0.95
//   Bob Harlan     MARRIED_TO  Marianne       1        0.95
//   Bob Harlan     SIBLING_OF  Ellen          1        0.95
//   Ruth           PARENT_OF   Bob Harlan     1        0.95
//   Dave Kowalski  OWNS        Birch Street   1        0.9                2025-11-09
//   Ellen          OWNS        Birch Street   1        0.9                2025-11-09
//   Owen           OWNS        Delta          1        0.81        2025
//   Dave Kowalski  MARRIED_TO  Ellen          1        0.765       2003
//   Dave Kowalski  WORKS_FOR   Bob Harlan     1        0.765
CYPHER 25
MATCH (e:Entity {user_id: $user_id})-[relation]->(:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND relation.relation_id IS NOT NULL AND relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0
WITH relation, [end IN [startNode(relation), endNode(relation)] |
       head([(whole:Entity {active: true})-[merges:SUPERSEDES*0..8]->(end) WHERE all(merge IN merges WHERE merge.known_to IS NULL) | whole])] AS ends
WHERE ends[0] <> ends[1]
WITH relation, CASE WHEN relation.name IN $symmetric AND ends[0].key > ends[1].key THEN [ends[1], ends[0]] ELSE ends END AS ends
WITH ends[0] AS source, relation.name AS name, ends[1] AS target, collect(relation) AS relations, min(relation.since) AS since,
     CASE WHEN count(relation.until) = count(relation) THEN max(relation.until) END AS until
WITH source, name, target, relations, since, until, 1 - reduce(doubt = 1.0, one IN relations | doubt * (1 - one.confidence)) AS confidence,
     CASE WHEN size(relations) = 1 THEN relations[0].strength ELSE COUNT {
       UNWIND relations AS one
       MATCH (e:Entity)<-[v:EVIDENCE {relation_id: one.relation_id}]-(r:Record)
       WHERE e = startNode(one) AND v.known_to IS NULL
       RETURN DISTINCT r
     } END AS records
RETURN source.name AS source, name AS relation, target.name AS target, records, round(confidence, 3) AS confidence, since, until
ORDER BY records DESC, confidence DESC, source, relation, target LIMIT $limit
