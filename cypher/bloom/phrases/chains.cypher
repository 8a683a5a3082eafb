// Phrase: how facts about $entity changed
// Purpose: facts that name an entity, live or over, with those that they replaced.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: paths.
// Example: entity "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
MATCH about = (e)<-[:ABOUT]-(f:Fact)
WHERE f.status <> 'withdrawn'
OPTIONAL MATCH older = (f)-[:SUPERSEDES]->(:Fact)
RETURN about, older
