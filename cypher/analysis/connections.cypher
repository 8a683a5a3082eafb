// Purpose: who connects two entities: the shortest ways over relations that hold, then those who are mentioned in most records with both. Merged entities are one.
// Parameters: user_id (text: whose graph), entity (text: a name of the one), other (text: a name of the other one), limit (number: rows of each sort at most), symmetric
//   (texts: types whose direction says nothing, as the domain file has them).
// Returns: how (relations, or records), through (the way, or who), steps (relations on the way), records (with one and with the other).
// Index: alias_name.
// Result on the bundled history with entity "Ruth", other "Ellen", limit 3, symmetric ["BORDERS", "BUSINESS_PARTNER_OF", "COLLABORATED_WITH",
//   "COLLEAGUE_OF", "COUSIN_OF", "ENEMY_OF", "ENGAGED_TO", "FRIEND_OF", "HALF_SIBLING_OF", "IN_LAW_OF", "KNOWS", "LIVES_WITH", "LOCATED_NEAR",
//   "MARRIED_TO", "NEIGHBOR_OF", "PARTNER_OF", "PLAYED_AGAINST", "SIBLING_OF", "STEP_SIBLING_OF"]:
//   how        through                                                 steps  records
//   relations  Ruth PARENT_OF Bob Harlan, Bob Harlan SIBLING_OF Ellen  2
//   records    Dave Kowalski                                                  5, 13
//   records    Cedar Court                                                    3, 4
//   records    Katie                                                          3, 4
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(a:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH collect(DISTINCT a) AS ones
MATCH (also:Alias {user_id: $user_id, key: toLower($other)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(b:Entity)
USING INDEX SEEK also:Alias(user_id, key)
WITH ones, collect(DISTINCT b) AS others
WHERE none(one IN ones WHERE one IN others)
CALL (ones, others) {
  // Breadth first from both ends until they meet: next from the side with fewer entities, and each entity once, so that hubs stay cheap.
  WITH ones, reduce(sides = [[ones], [others]], turn IN range(1, 8) | CASE
    WHEN size(sides[0]) + size(sides[1]) = 6 OR any(one IN sides[0][-1] WHERE one IN sides[1][-1]) THEN sides
    WHEN size(sides[0][-1]) > size(sides[1][-1]) THEN reverse(sides)
    ELSE [sides[0] + [COLLECT {
      UNWIND sides[0][-1] AS here
      MATCH (here:Entity {active: true})-[down:SUPERSEDES WHERE down.known_to IS NULL]->*()-[relation]-()
            <-[up:SUPERSEDES WHERE up.known_to IS NULL]-*(there:Entity {active: true})
      WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND coalesce(relation.until > toString(date()), true)
      RETURN DISTINCT there
    }], sides[1]] END) AS sides
  WITH CASE WHEN sides[0][0] = ones THEN sides ELSE reverse(sides) END AS sides
  WITH sides[0][..-1] + [[one IN sides[0][-1] WHERE one IN sides[1][-1]]] + reverse(sides[1])[1..] AS steps
  // The ways over those. Of the ways to each only the first few are kept: the first few of all go on from these.
  WITH steps, reduce(found = [one IN steps[0] | {end: one, ways: [[]]}], nexts IN steps[1..] | COLLECT {
    UNWIND found AS one
    WITH one.end AS here, one.ways AS ways
    MATCH (here:Entity {active: true})-[down:SUPERSEDES WHERE down.known_to IS NULL]->*(part)-[relation]-()
          <-[up:SUPERSEDES WHERE up.known_to IS NULL]-*(there:Entity {active: true})
    WHERE there IN nexts AND relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND coalesce(relation.until > toString(date()), true)
    WITH here, ways, relation.name AS name, there,
         CASE WHEN relation.name IN $symmetric THEN here.key < there.key ELSE startNode(relation) = part END AS onwards
    WITH DISTINCT ways, there, CASE WHEN onwards THEN here.name + ' ' + name + ' ' + there.name ELSE there.name + ' ' + name + ' ' + here.name END AS step
    UNWIND ways AS way
    WITH there, way + step AS way ORDER BY way
    WITH there, collect(way)[..$limit] AS ways
    RETURN {end: there, ways: ways}
  }) AS found
  UNWIND found AS one
  UNWIND one.ways AS way
  WITH DISTINCT steps, way ORDER BY way LIMIT $limit
  RETURN 'relations' AS how, substring(reduce(text = '', step IN way | text + ', ' + step), 2) AS through, size(steps) - 1 AS steps, null AS records
  UNION ALL
  UNWIND ones AS a
  MATCH (a)<-[one:MENTIONS]-(r:Record)-[m:MENTIONS]->(:Entity)<-[merges:SUPERSEDES*0..8]-(e:Entity {active: true})
  WHERE one.known_to IS NULL AND m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND m.role = 'mention' AND all(merge IN merges WHERE merge.known_to IS NULL) AND NOT e IN ones + others
  WITH others, e, count(DISTINCT r) AS first
  MATCH (e)-[merges:SUPERSEDES*0..8]->(member:Entity)
  WHERE all(merge IN merges WHERE merge.known_to IS NULL)
  WITH others, e, first, collect(member) AS members
  UNWIND others AS b
  UNWIND members AS member
  MATCH (b)<-[one:MENTIONS]-(r:Record)-[m:MENTIONS]->(member)
  WHERE one.known_to IS NULL AND m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND m.role = 'mention'
  WITH e, first, count(DISTINCT r) AS second
  RETURN 'records' AS how, e.name AS through, null AS steps, [first, second] AS records
  ORDER BY first + second DESC, through LIMIT $limit
}
RETURN how, through, steps, records
