// Phrase: the community of $entity
// Purpose: the communities of an entity, with their members.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: paths.
// Example: entity "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
MATCH (e)-[:IN_COMMUNITY]->(c:Community)
MATCH way = (c)<-[:IN_COMMUNITY]-(:Entity)
RETURN way
