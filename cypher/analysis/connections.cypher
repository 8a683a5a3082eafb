// Purpose: who connects two entities: the shortest ways over relations, then those who are mentioned in most records with both. Merged entities are one.
// Parameters: user_id (whose graph, a text), entity and other (names of the two), limit (of each).
// Returns: how (relations, or records), through (the way, or who), steps (relations on the way), records (with one and with the other).
// Result on the bundled history with entity "Ruth", other "Ellen", limit 3:
//   how        through                                                 steps  records
//   relations  Ruth PARENT_OF Bob Harlan, Bob Harlan SIBLING_OF Ellen  2
//   records    Dave Kowalski                                                  5, 13
//   records    Cedar Court                                                    3, 4
//   records    Katie                                                          3, 4
CYPHER 25
MATCH (:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(a:Entity)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
WITH collect(DISTINCT a) AS ones
MATCH (:Alias {user_id: $user_id, key: toLower($other)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(b:Entity)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
WITH ones, collect(DISTINCT b) AS others
WHERE none(one IN ones WHERE one IN others)
CALL (ones, others) {
  UNWIND ones AS a
  UNWIND others AS b
  MATCH way = allShortestPaths((a)-[*..8]-(b))  // over merges, too: each is a step when ways are compared, and none of those that are shown
  WHERE all(one IN relationships(way) WHERE one.merge_id IS NOT NULL AND one.known_to IS NULL
            OR one.strength > 0 AND size(coalesce(one.archivings, [])) % 2 = 0)
  WITH DISTINCT [one IN relationships(way) WHERE one.strength > 0] AS relations
  WITH collect(relations) AS ways, min(size(relations)) AS steps
  UNWIND [relations IN ways WHERE size(relations) = steps AND steps <= 4] AS relations
  WITH steps, [relation IN relations | [end IN [startNode(relation), endNode(relation)] |
         head([(whole:Entity {active: true})-[merges:SUPERSEDES*0..8]->(end) WHERE all(merge IN merges WHERE merge.known_to IS NULL) | whole.name])] + relation.name] AS named
  WITH DISTINCT steps, substring(reduce(text = '', one IN named | text + ', ' + one[0] + ' ' + one[2] + ' ' + one[1]), 2) AS through
  RETURN 'relations' AS how, through, steps, null AS records
  ORDER BY through LIMIT $limit
  UNION ALL
  UNWIND ones AS a
  MATCH (a)<-[one:MENTIONS]-(r:Record)-[m:MENTIONS]->(:Entity)<-[merges:SUPERSEDES*0..8]-(e:Entity {active: true})
  WHERE one.known_to IS NULL AND m.known_to IS NULL AND m.role = 'mention' AND all(merge IN merges WHERE merge.known_to IS NULL) AND NOT e IN ones + others
  WITH others, e, count(DISTINCT r) AS first
  MATCH (e)-[merges:SUPERSEDES*0..8]->(member:Entity)
  WHERE all(merge IN merges WHERE merge.known_to IS NULL)
  WITH others, e, first, collect(member) AS members
  UNWIND others AS b
  UNWIND members AS member
  MATCH (b)<-[one:MENTIONS]-(r:Record)-[m:MENTIONS]->(member)
  WHERE one.known_to IS NULL AND m.known_to IS NULL AND m.role = 'mention'
  WITH e, first, count(DISTINCT r) AS second
  RETURN 'records' AS how, e.name AS through, null AS steps, [first, second] AS records
  ORDER BY first + second DESC, through LIMIT $limit
}
RETURN how, through, steps, records
