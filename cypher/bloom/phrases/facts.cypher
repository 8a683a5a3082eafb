// Phrase: facts about $entity
// Purpose: live facts, without plans whose day has passed, that name an entity, with the records that state them.
// Parameters: user_id (whose graph, a text), entity (one of its names).
// Suggestions: entity from names.
// Returns: paths.
// Example: entity "Ellen"
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
MATCH way = (e)<-[:ABOUT]-(f:Fact {status: 'live'})<-[states:STATES]-(:Record)
WHERE states.known_to IS NULL AND coalesce(f.holds_until > datetime(), true)
RETURN way
