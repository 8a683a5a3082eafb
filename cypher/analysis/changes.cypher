// Purpose: what changed about an entity between two days: nodes that began to speak of it, relations that were first stated or ended, facts that began or ended.
// Parameters: user_id (text: whose graph), entity (text: one of its names), from (day: the first one), to (day: the one after the last), limit (number: rows at most).
// Returns: day, change, what.
// Index: alias_name.
// Result on the bundled history with entity "Ellen", from "2025-10-01", to "2026-02-01":
//   day         change              what
//   2025-10-18  began               Ellen lives at 8 Osprey Lane.
//   2025-10-18  ended               Ellen lives at 27 Birch Street.
//   2025-11-09  ended               Ellen OWNS Birch Street
//   2025-11-09  first stated        Ellen OWNS Birch Street
//   2025-12-28  first mentioned at  Family
//   2025-12-28  first mentioned at  Finances
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
WITH collect(DISTINCT e) AS members
CALL (members) {
  UNWIND members AS e
  MATCH (e)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
  WHERE m.known_to IS NULL
  WITH n, min(coalesce(r.occurred_at, r.known_from)) AS at
  RETURN toString(date(at)) AS day, 'first mentioned at' AS change, n.name AS what
  UNION ALL
  UNWIND members AS e
  MATCH (e)-[relation]-(other:Entity)
  WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND NOT other IN members
  WITH relation, [end IN [startNode(relation), endNode(relation)] |
         head([(whole:Entity {active: true})-[merges:SUPERSEDES*0..8]->(end) WHERE all(merge IN merges WHERE merge.known_to IS NULL) | whole])] AS ends
  WITH relation, CASE WHEN relation.symmetric AND ends[0].key > ends[1].key THEN [ends[1], ends[0]] ELSE ends END AS ends  // one relation, whichever way it points
  MATCH (r:Record)-[v:EVIDENCE {relation_id: relation.relation_id}]->(:Entity)
  USING INDEX SEEK v:EVIDENCE(relation_id)
  WHERE v.known_to IS NULL
  WITH ends, relation.name AS name, min(coalesce(r.occurred_at, r.known_from)) AS at
  RETURN toString(date(at)) AS day, 'first stated' AS change, ends[0].name + ' ' + name + ' ' + ends[1].name AS what
  UNION ALL
  UNWIND members AS e
  MATCH (e)-[relation]-(other:Entity)
  WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND NOT other IN members
  WITH relation, [end IN [startNode(relation), endNode(relation)] |
         head([(whole:Entity {active: true})-[merges:SUPERSEDES*0..8]->(end) WHERE all(merge IN merges WHERE merge.known_to IS NULL) | whole])] AS ends
  WITH relation, CASE WHEN relation.symmetric AND ends[0].key > ends[1].key THEN [ends[1], ends[0]] ELSE ends END AS ends  // one relation, whichever way it points
  WITH ends, relation.name AS name, CASE WHEN count(relation.until) = count(relation) THEN max(relation.until) END AS day
  WHERE day IS NOT NULL
  RETURN day, 'ended' AS change, ends[0].name + ' ' + name + ' ' + ends[1].name AS what
  UNION ALL
  UNWIND members AS e
  MATCH (e)<-[:ABOUT]-(f:Fact)
  WHERE f.status <> 'withdrawn' AND f.caption IS NOT NULL
  UNWIND [['began', coalesce(f.valid_from, f.said_at, f.known_from)], ['ended', f.valid_to]] AS end
  WITH DISTINCT f, end WHERE end[1] IS NOT NULL
  RETURN toString(date(end[1])) AS day, end[0] AS change, f.caption AS what
}
WITH day, change, what
WHERE day >= $from AND day < $to
RETURN day, change, what ORDER BY day, change, what LIMIT $limit
