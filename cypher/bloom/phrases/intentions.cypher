// Phrase: what $entity wants or plans
// Purpose: open intentions of an entity, with the records that tell them.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: paths.
// Example: entity "Ellen"
// Empty on the bundled history: intentions are kept only where NEURIGRAPH_INTENTIONS says so.
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
MATCH way = (e)<-[i:INTENDS]-(:Record)
WHERE i.known_to IS NULL AND i.state = 'open'
RETURN way
