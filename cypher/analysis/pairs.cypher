// Purpose: entities that may be one, for the user to decide, the likeliest first; of merged ones the whole.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, other, kinds (of both), score, reason.
// Index: entity_active.
// Result on the bundled history:
//   entity                other        kinds         score  reason
//   Alder Falls Creamery  Alder Falls  thing, place  0.7    one is the first name of the other
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[one:SUPERSEDES WHERE one.known_to IS NULL]->*(:Entity)-[p:POSSIBLY_SAME]->(:Entity)
      <-[two:SUPERSEDES WHERE two.known_to IS NULL]-*(other {active: true})
USING INDEX SEEK e:Entity(user_id, active)
WHERE p.decided IS NULL AND e <> other
RETURN DISTINCT e.name AS entity, other.name AS other, [e.kind, other.kind] AS kinds, round(p.score, 3) AS score, p.reason AS reason
ORDER BY score DESC, entity, other LIMIT $limit
