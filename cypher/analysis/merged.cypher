// Purpose: merges that hold: which entity is read as part of which one, and why.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, kind, part (the merged one), part_kind, reason.
// Index: entity_active.
// Result on the bundled history where Lindy was merged into Lindy's Diner as "the same place" before:
//   entity         kind   part   part_kind  reason
//   Lindy's Diner  place  Lindy  thing      the same place
CYPHER 25
MATCH (e:Entity {user_id: $user_id})-[merge:SUPERSEDES]->(part:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND merge.known_to IS NULL
RETURN e.name AS entity, e.kind AS kind, part.name AS part, part.kind AS part_kind, merge.reason AS reason
ORDER BY entity, part LIMIT $limit
