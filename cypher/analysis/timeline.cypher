// Purpose: the life of an entity in the records: each one that mentions it, and the relations and facts that begin or end.
// Parameters: user_id (text: whose graph), entity (text: one of its names), limit (number: rows at most).
// Returns: day (or year, as it was said), what, detail (the title of its records with the times that it is named there, the relation, or the caption of the fact).
// Index: alias_name.
// Result on the bundled history with entity "Owen":
//   day         what       detail
//   2024-05-20  mentioned  The big one, and a birthday, 2
//   2024-11-29  mentioned  The day after Thanksgiving, 2
//   2025        begins     Owen OWNS Delta
//   2025-08-18  mentioned  The cough, and a bowl at the fair, 2
//   2025-12-28  mentioned  Christmas and a question from Dave, 2
//   2026-02-09  mentioned  Ice fishing and a bowl for the church, 1
//   2026-03-15  mentioned  Fishing log, March 2024 to March 2026, 7
//   2026-03-15  mentioned  Two years on, 1
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
WITH collect(DISTINCT e) AS members
CALL (members) {
  UNWIND members AS e
  MATCH (e)<-[m:MENTIONS]-(r:Record)
  WHERE m.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
  WITH date(coalesce(r.occurred_at, r.known_from)) AS day, r.title AS title, sum(m.count) AS times
  RETURN toString(day) AS day, 'mentioned' AS what, title + ', ' + times AS detail
  UNION ALL
  UNWIND members AS e
  MATCH (e)-[relation]-(other:Entity)
  WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND NOT other IN members
  WITH relation, [end IN [startNode(relation), endNode(relation)] |
         head([(whole:Entity {active: true})-[merges:SUPERSEDES*0..8]->(end) WHERE all(merge IN merges WHERE merge.known_to IS NULL) | whole])] AS ends
  WITH relation, CASE WHEN relation.symmetric AND ends[0].key > ends[1].key THEN [ends[1], ends[0]] ELSE ends END AS ends  // one relation, whichever way it points
  WITH ends, relation.name AS name, min(relation.since) AS since, CASE WHEN count(relation.until) = count(relation) THEN max(relation.until) END AS until
  UNWIND [['begins', since], ['ends', until]] AS end
  WITH ends, name, end WHERE end[1] IS NOT NULL
  RETURN end[1] AS day, end[0] AS what, ends[0].name + ' ' + name + ' ' + ends[1].name AS detail
  UNION ALL
  UNWIND members AS e
  MATCH (e)<-[:ABOUT]-(f:Fact)
  WHERE f.status <> 'withdrawn' AND f.caption IS NOT NULL
  UNWIND [['begins', coalesce(f.valid_from, f.said_at, f.known_from)], ['ends', f.valid_to]] AS end
  WITH DISTINCT f, end WHERE end[1] IS NOT NULL
  RETURN toString(date(end[1])) AS day, end[0] AS what, f.caption AS detail
}
RETURN day, what, detail ORDER BY day, what, detail LIMIT $limit
