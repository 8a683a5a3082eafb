// Phrase: records that mention $entity
// Purpose: the newest records that mention an entity, with the nodes that hold them.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: paths, at most 50.
// Example: entity "Owen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
MATCH way = (e)<-[m:MENTIONS]-(record:Record)<-[:HOLDS]-(:Node)
WHERE m.known_to IS NULL
RETURN way ORDER BY coalesce(record.occurred_at, record.known_from) DESC LIMIT 50
