// Purpose: relations that are over, the last ones first, and what ended each: a text, a newer relation of its sort, or a fact that replaced its own.
//   Of merged entities one holds as long as that of any part does.
// Parameters: user_id (text: whose graph), symmetric (texts: types whose direction says nothing, as the domain file has them), limit (number: rows at most).
// Returns: source, relation, target, until, by (text, relation or fact).
// Index: entity_active.
// Result on the bundled history:
//   source         relation  target        until       by
//   Dave Kowalski  OWNS      Birch Street  2025-11-09  text
//   Ellen          OWNS      Birch Street  2025-11-09  text
CYPHER 25
MATCH (source:Entity {user_id: $user_id, active: true})-[one:SUPERSEDES WHERE one.known_to IS NULL]->*(:Entity)-[relation]->(:Entity)
      <-[two:SUPERSEDES WHERE two.known_to IS NULL]-*(target {active: true})
USING INDEX SEEK source:Entity(user_id, active)
WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND source <> target
WITH relation, CASE WHEN relation.name IN $symmetric AND source.key > target.key THEN [target, source] ELSE [source, target] END AS ends ORDER BY relation.until
WITH relation.name AS name, ends, collect(relation) AS relations
WHERE all(one IN relations WHERE coalesce(one.until <= toString(date()), false))
WITH name, ends, relations[-1] AS last
RETURN ends[0].name AS source, name AS relation, ends[1].name AS target, last.until AS until,
       CASE WHEN last.ended_by IS NOT NULL THEN 'relation' WHEN last.ended_with IS NOT NULL THEN 'fact' ELSE 'text' END AS by
ORDER BY until DESC, source, relation, target LIMIT $limit
