// Purpose: relations that one record alone states, the least sure first: those to check. Without those that are over or set aside. Merged entities are one.
// Parameters: user_id (text: whose graph), symmetric (texts: types whose direction says nothing, as the domain file has them), limit (number: rows at most).
// Returns: source, relation, target, confidence, day and record (title of the record that states it).
// Index: entity_active.
// Result on the bundled history with limit 3:
//   source         relation    target      confidence  day         record
//   Dave Kowalski  MARRIED_TO  Ellen       0.765       2024-03-10  Planning opening day
//   Dave Kowalski  WORKS_FOR   Bob Harlan  0.765       2024-03-10  Planning opening day
//   Owen           OWNS        Delta       0.81        2025-12-28  Christmas and a question from Dave
CYPHER 25
MATCH (source:Entity {user_id: $user_id, active: true})-[one:SUPERSEDES WHERE one.known_to IS NULL]->*(:Entity)-[relation]->(:Entity)
      <-[two:SUPERSEDES WHERE two.known_to IS NULL]-*(target {active: true})
USING INDEX SEEK source:Entity(user_id, active)
WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND source <> target
WITH relation, CASE WHEN relation.name IN $symmetric AND source.key > target.key THEN [target, source] ELSE [source, target] END AS ends
WITH relation.name AS name, ends, collect(relation) AS relations
WITH name, ends, relations[0] AS relation
WHERE size(relations) = 1 AND relation.strength = 1 AND coalesce(relation.until > toString(date()), relation.until IS NULL)
MATCH (:Entity)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(r:Record)
USING INDEX SEEK v:EVIDENCE(relation_id)
WHERE v.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
RETURN ends[0].name AS source, name AS relation, ends[1].name AS target, round(relation.confidence, 3) AS confidence,
       date(coalesce(r.occurred_at, r.known_from)) AS day, r.title AS record
ORDER BY confidence, source, relation, target LIMIT $limit
