// Purpose: why two entities are said to be related: each record that states it. Its text is found by item and span in Postgres, or by `entity why`.
// Parameters: user_id (text: whose graph), entity (text: a name of the one), other (text: a name of the other one), limit (number: rows at most).
// Returns: source, relation, target, day, record (its title), weight (how sure the wording is, below 1), over (whether it says that it has ended).
// Index: alias_name.
// Result on the bundled history with entity "Bob", other "Ellen":
//   source      relation    target  day         record                weight  over
//   Bob Harlan  SIBLING_OF  Ellen   2024-03-10  Planning opening day  0.95    false
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity),
      (also:Alias {user_id: $user_id, key: toLower($other)})-[:NAMES]->(:Entity)-[others:SUPERSEDES*0..8]-(o:Entity)
USING INDEX SEEK called:Alias(user_id, key)
USING INDEX SEEK also:Alias(user_id, key)
WHERE all(merge IN merges + others WHERE merge.known_to IS NULL)
MATCH (e)-[relation]-(o)
WHERE relation.relation_id IS NOT NULL
WITH DISTINCT relation
WITH relation, startNode(relation) AS source, [end IN [startNode(relation), endNode(relation)] |
       head([(whole:Entity {active: true})-[merges:SUPERSEDES*0..8]->(end) WHERE all(merge IN merges WHERE merge.known_to IS NULL) | whole])] AS ends
MATCH (source)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(r:Record)
WHERE v.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
RETURN ends[0].name AS source, relation.name AS relation, ends[1].name AS target, date(coalesce(r.occurred_at, r.known_from)) AS day,
       r.title AS record, v.weight AS weight, v.ended AS over
ORDER BY relation, weight DESC, day, record LIMIT $limit
