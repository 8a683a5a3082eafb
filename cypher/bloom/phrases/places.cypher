// Phrase: where $entity is spoken of
// Purpose: the nodes whose records mention an entity, with their place below the user.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: the entity, and paths from the user to the nodes; lines to those three that mention it most.
// Example: entity "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
UNWIND coalesce(e.places, []) AS kept
MATCH (n:Node {node_id: left(kept, 36)})
USING INDEX SEEK n:Node(node_id)
MATCH place = ({node_id: $user_id})-[:HAS_CHILD*0..5]->(n)
OPTIONAL MATCH (e)-[anchored:ANCHORED_AT]->(n)
RETURN e, anchored, place
