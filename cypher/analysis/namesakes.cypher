// Purpose: entities of one name that are not one: two people, or one that was read twice, as a person and as a thing.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: name, kinds and records (that mention each).
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})
USING INDEX SEEK e:Entity(user_id, active)
WITH e, COUNT { MATCH (e)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(:Entity)<-[m:MENTIONS]-(r:Record) WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) RETURN DISTINCT r } AS records
WHERE records > 0
WITH e, records ORDER BY records DESC, e.kind
WITH e.name_key AS key, collect(e) AS entities, collect(records) AS records
WHERE size(entities) > 1
RETURN entities[0].name AS name, [e IN entities | e.kind] AS kinds, records
ORDER BY name LIMIT $limit
