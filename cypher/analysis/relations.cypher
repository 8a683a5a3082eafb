// Purpose: the relations of an entity that hold or held, those that most records state first. Merged entities are one.
// Parameters: user_id (text: whose graph), entity (text: one of its names), symmetric (texts: types whose direction says nothing, as the domain file has them), limit (number: rows at most).
// Returns: source, relation, target, records, confidence, since, until.
// Index: alias_name.
// Result on the bundled history with entity "Ellen":
//   source         relation    target        records  confidence  since  until
//   Bob Harlan     SIBLING_OF  Ellen         1        0.95
//   Dave Kowalski  MARRIED_TO  Ellen         1        0.765       2003
//   Ellen          OWNS        Birch Street  1        0.9                2025-11-09
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH DISTINCT e
MATCH (e)-[relation]-(:Entity)
WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0
WITH DISTINCT relation
WITH relation, [end IN [startNode(relation), endNode(relation)] | COLLECT {
       MATCH (end)<-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(whole:Entity {active: true}) RETURN whole }[0]] AS ends
WHERE ends[0] <> ends[1]
WITH relation, CASE WHEN relation.name IN $symmetric AND ends[0].key > ends[1].key THEN [ends[1], ends[0]] ELSE ends END AS ends
WITH ends, relation.name AS name, collect(relation) AS relations, min(relation.since) AS since,
     CASE WHEN count(relation.until) = count(relation) THEN max(relation.until) END AS until
RETURN ends[0].name AS source, name AS relation, ends[1].name AS target, reduce(total = 0, one IN relations | total + one.strength) AS records,
       round(1 - reduce(doubt = 1.0, one IN relations | doubt * (1 - one.confidence)), 3) AS confidence, since, until
ORDER BY records DESC, source, relation, target LIMIT $limit
