// Purpose: which types of relations a graph has, and how sure they are. Merged entities are one: what is said of several parts is one relation.
// Parameters: user_id (text: whose graph), symmetric (texts: types whose direction says nothing, as the domain file has them), limit (number: rows at most).
// Returns: relation, kinds (of source and target), pairs (of entities), over (of these), records (that state them), confidence (on average).
// Index: entity_active.
// Result on the bundled history with limit 5:
//   relation    kinds           pairs  over  records  confidence
//   MARRIED_TO  person, person  2      0     2        0.857
//   OWNS        person, place   2      2     2        0.9
//   CLIENT_OF   person, person  1      0     1        0.95
//   IN_LAW_OF   person, person  1      0     1        0.95
//   OWNS        person, thing   1      0     1        0.81
CYPHER 25
MATCH (source:Entity {user_id: $user_id, active: true})-[one:SUPERSEDES WHERE one.known_to IS NULL]->*(:Entity)-[relation]->(:Entity)
      <-[two:SUPERSEDES WHERE two.known_to IS NULL]-*(target {active: true})
USING INDEX SEEK source:Entity(user_id, active)
WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND source <> target
WITH relation, CASE WHEN relation.name IN $symmetric AND source.key > target.key THEN [target, source] ELSE [source, target] END AS ends
WITH relation.name AS name, ends, collect(relation) AS relations
WITH name, [end IN ends | end.kind] AS kinds, relations, all(one IN relations WHERE coalesce(one.until <= toString(date()), false)) AS over
RETURN name AS relation, kinds, count(*) AS pairs, count(CASE WHEN over THEN 1 END) AS over,
       sum(reduce(total = 0, one IN relations | total + one.strength)) AS records,
       round(avg(1 - reduce(doubt = 1.0, one IN relations | doubt * (1 - one.confidence))), 3) AS confidence
ORDER BY pairs DESC, relation, kinds LIMIT $limit
