// Phrase: who connects $entity and $other
// Purpose: the shortest ways between two entities over relations that hold; merged entities count as one step.
// Parameters: user_id (whose graph, a text), entity (one of its names), other (a name of the other).
// Suggestions: entity from names, other from names.
// Returns: paths, at most 20.
// Example: entity "Ruth", other "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity),
      (also:Alias {user_id: $user_id, key: toLower($other)})-[:NAMES]->(:Entity)-[others:SUPERSEDES*0..8]-(o:Entity)
USING INDEX SEEK called:Alias(user_id, key)
USING INDEX SEEK also:Alias(user_id, key)
WHERE all(merge IN merges + others WHERE merge.known_to IS NULL) AND e <> o
MATCH way = allShortestPaths((e)-[*..6]-(o))
WHERE all(n IN nodes(way) WHERE n:Entity)
  AND all(r IN relationships(way) WHERE (r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true)) OR (type(r) = 'SUPERSEDES' AND r.known_to IS NULL))
RETURN way LIMIT 20
