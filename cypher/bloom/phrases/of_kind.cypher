// Phrase: all of kind $kind
// Purpose: the entities of a kind that are mentioned most, with the relations between them.
// Parameters: user_id (whose graph, a text), kind (as the domain file names it).
// Suggestions: kind from kinds.
// Returns: entities, at most 100, and paths.
// Example: kind "person"
MATCH (e:Entity {user_id: $user_id, kind: toLower($kind), active: true})
USING INDEX SEEK e:Entity(user_id, active)
WITH e ORDER BY e.mentions DESC LIMIT 100
WITH collect(e) AS found
UNWIND found AS e
OPTIONAL MATCH way = (e)-[r]->(other:Entity)
WHERE other IN found AND r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true)
RETURN e, way
