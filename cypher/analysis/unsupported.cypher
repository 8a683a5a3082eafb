// Purpose: entities that no record of today mentions: what mentioned them was changed or replaced. They stay for reads of the past.
// Parameters: user_id (whose graph, a text).
// Returns: name, kind, relations (that still hold), was_in (records that mentioned it).
// Result on the bundled history:
//   none
CYPHER 25
MATCH (e:Entity {user_id: $user_id})
WHERE NOT EXISTS { (e)<-[m:MENTIONS]-(:Record) WHERE m.known_to IS NULL }
RETURN e.name AS name, e.kind AS kind, COUNT { (e)-[relation]-(:Entity) WHERE relation.strength > 0 } AS relations,
       COUNT { (e)<-[:MENTIONS]-(:Record) } AS was_in
ORDER BY name, kind
