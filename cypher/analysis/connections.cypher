// Purpose: who connects two entities: the shortest ways over relations, then those who are mentioned in most records with both.
// Parameters: user_id (whose graph, a text), entity and other (names of the two), limit (of each).
// Returns: how (relations, or records), through (the way, or who), steps (relations on the way), records (with one and with the other).
// Result on the bundled history with entity "Ruth", other "Ellen", limit 3:
//   how        through                                                 steps  records
//   relations  Ruth PARENT_OF Bob Harlan, Bob Harlan SIBLING_OF Ellen  2
//   records    Dave Kowalski                                                  5, 12
//   records    Cedar Court                                                    3, 4
//   records    Katie                                                          3, 4
CYPHER 25
MATCH (:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(a:Entity), (:Alias {user_id: $user_id, key: toLower($other)})-[:NAMES]->(b:Entity)
CALL (a, b) {
  MATCH way = allShortestPaths((a)-[*..4]-(b))
  WHERE all(one IN relationships(way) WHERE one.strength > 0 AND size(coalesce(one.archivings, [])) % 2 = 0)
  RETURN 'relations' AS how, substring(reduce(text = '', one IN relationships(way) |
           text + ', ' + startNode(one).name + ' ' + one.name + ' ' + endNode(one).name), 2) AS through, length(way) AS steps, null AS records
  ORDER BY through LIMIT $limit
  UNION ALL
  MATCH (a)<-[one:MENTIONS]-(r:Record)-[m:MENTIONS]->(e:Entity)
  WHERE one.known_to IS NULL AND m.known_to IS NULL AND e <> a AND e <> b AND m.role = 'mention'
  WITH b, e, count(DISTINCT r) AS first
  MATCH (b)<-[one:MENTIONS]-(r:Record)-[m:MENTIONS]->(e)
  WHERE one.known_to IS NULL AND m.known_to IS NULL AND m.role = 'mention'
  WITH e, first, count(DISTINCT r) AS second
  RETURN 'records' AS how, e.name AS through, null AS steps, [first, second] AS records
  ORDER BY first + second DESC, through LIMIT $limit
}
RETURN how, through, steps, records
