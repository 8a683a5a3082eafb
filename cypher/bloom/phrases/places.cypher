// Phrase: where $entity is spoken of
// Purpose: the nodes whose records mention an entity, with their place below the user.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: the entity, where it is anchored, and paths from the user.
// Example: entity "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
MATCH (e)-[anchored:ANCHORED_AT]->(n:Node)
MATCH place = ({node_id: $user_id})-[:HAS_CHILD*0..5]->(n)
RETURN e, anchored, place
