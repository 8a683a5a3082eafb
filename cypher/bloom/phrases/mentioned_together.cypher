// Phrase: records that mention $entity and $other
// Purpose: the newest records that mention two entities.
// Parameters: user_id (whose graph, a text), entity (one of its names), other (a name of the other).
// Suggestions: entity from names, other from names.
// Returns: paths, at most 50.
// Example: entity "Dave", other "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity),
      (also:Alias {user_id: $user_id, key: toLower($other)})-[:NAMES]->(:Entity)-[others:SUPERSEDES*0..8]-(o:Entity)
USING INDEX SEEK called:Alias(user_id, key)
USING INDEX SEEK also:Alias(user_id, key)
WHERE all(merge IN merges + others WHERE merge.known_to IS NULL) AND e <> o
MATCH way = (e)<-[one:MENTIONS]-(record:Record)-[two:MENTIONS]->(o)
WHERE one.known_to IS NULL AND two.known_to IS NULL
RETURN way ORDER BY coalesce(record.occurred_at, record.known_from) DESC LIMIT 50
