// Purpose: entities that no record of today mentions: what mentioned them was changed or replaced. They stay for reads of the past. Merged ones are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: name, kind, relations (that still hold), was_in (records that mentioned it).
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[merges:SUPERSEDES*0..8]->(member:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
WITH e, collect(member) AS members
WHERE COUNT { UNWIND members AS one MATCH (one)<-[m:MENTIONS]-(r:Record) WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) RETURN m } = 0
RETURN e.name AS name, e.kind AS kind,
       COUNT { UNWIND members AS one MATCH (one)-[relation]-(other:Entity) WHERE relation.strength > 0 AND NOT other IN members RETURN relation } AS relations,
       COUNT { UNWIND members AS one MATCH (one)<-[:MENTIONS]-(r:Record) RETURN DISTINCT r } AS was_in
ORDER BY name, kind LIMIT $limit
