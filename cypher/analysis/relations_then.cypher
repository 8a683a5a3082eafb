// Purpose: what records said of the relations of an entity that were known at a time: also those whose records were changed or withdrawn since. Merged ones as today.
// Parameters: user_id (text: whose graph), entity (text: one of its names), known_at (time: what was known then), limit (number: rows at most).
// Returns: source, relation, target, records (that stated it then), first and last (days of these), over (whether the last one says that it has ended).
// Index: alias_name.
// Result on the bundled history with entity "Ellen", known_at "9999-12-31", limit 3:
//   source         relation    target        records  first       last        over
//   Bob Harlan     SIBLING_OF  Ellen         1        2024-03-10  2024-03-10  false
//   Dave Kowalski  MARRIED_TO  Ellen         1        2024-03-10  2024-03-10  false
//   Ellen          OWNS        Birch Street  1        2025-11-09  2025-11-09  true
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH DISTINCT e
MATCH (e)-[relation]-(:Entity)
WHERE relation.relation_id IS NOT NULL
WITH DISTINCT relation, startNode(relation) AS source
MATCH (source)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(r:Record)
WHERE v.known_from <= datetime($known_at) AND coalesce(v.known_to > datetime($known_at), true)
WITH relation, v, r, date(coalesce(r.occurred_at, r.since, r.known_from)) AS day ORDER BY day
WITH relation, count(DISTINCT r) AS records, collect(day) AS days, collect(coalesce(v.ended, false)) AS ended
WITH relation, records, days, ended, [end IN [startNode(relation), endNode(relation)] |  // by the names that they had then
  coalesce(head([number IN range(0, size(coalesce(end.withdrawn_at, [])) - 1) WHERE end.withdrawn_at[number] > datetime($known_at) | end.names_withdrawn[number]]), end.name)] AS names
RETURN names[0] AS source, relation.name AS relation, names[1] AS target, records, days[0] AS first, days[-1] AS last, ended[-1] AS over
ORDER BY records DESC, source, relation, target LIMIT $limit
