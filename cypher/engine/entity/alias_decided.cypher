// Purpose: an alias that the user gives an entity and vouches for, unless another entity has it; or takes away: then it leads to none, and a name that texts use not to this
//   one again. What was taken away stays without an entity, so that of several decisions the last one counts, in whatever order they come; of two of the same time the one that comes later. Idempotent.
// Parameters: decision {entity_id, user_id, type, key (normal form), value, given, at}. Returns: entity_id; no row where it is missing.
CYPHER 25
MATCH (e:Entity {entity_id: $decision.entity_id})
WHERE e.user_id = $decision.user_id
SET e.lone = false  // takes the lock
WITH e, datetime($decision.at) AS at
CALL (e, at) {
  WITH e, at WHERE $decision.given
  MERGE (a:Alias {user_id: $decision.user_id, type: $decision.type, key: $decision.key})
  SET a.key = a.key  // takes the lock
  WITH e, a, at WHERE coalesce(a.decided_at <= at, true) AND NOT EXISTS { (a)-[:NAMES]->(other:Entity) WHERE other <> e }
  MERGE (a)-[:NAMES]->(e)
  SET a.user_key = replace($decision.user_id, '-', ''), a.value = coalesce(a.value, $decision.value), a.name = coalesce(a.name, $decision.value),
      a.known_from = coalesce(a.known_from, at), a.withdrawn = null
  SET a.decided_at = at, a.verified = true, a.not_of = CASE WHEN e.entity_id IN a.not_of THEN nullIf([one IN a.not_of WHERE one <> e.entity_id], []) ELSE a.not_of END
  FOREACH (_ IN CASE WHEN a.type <> 'name' OR a.key IN coalesce(e.given_names, []) THEN [] ELSE [1] END |
    SET e.given_names = coalesce(e.given_names, []) + a.key, e.given_at = coalesce(e.given_at, []) + at)
  RETURN count(*) AS given
}
CALL (e, at) {
  WITH e, at WHERE NOT $decision.given
  MERGE (a:Alias {user_id: $decision.user_id, type: $decision.type, key: $decision.key})  // missing where it comes before what gave it
  SET a.key = a.key  // takes the lock
  WITH e, a, at WHERE coalesce(a.decided_at <= at, true) AND NOT EXISTS { (a)-[:NAMES]->(other:Entity) WHERE other <> e }
  CALL (a, e) { MATCH (a)-[names:NAMES]->(e) DELETE names }
  SET a.decided_at = at, a.verified = false, a.not_of = [one IN coalesce(a.not_of, []) WHERE one <> e.entity_id] + e.entity_id
  WITH e, a, [number IN range(0, size(coalesce(e.given_names, [])) - 1) WHERE a.type <> 'name' OR e.given_names[number] <> a.key] AS kept
  SET e.given_at = [number IN kept | e.given_at[number]]
  SET e.given_names = [number IN kept | e.given_names[number]]
  FOREACH (_ IN CASE WHEN a.type = 'name' THEN [] ELSE [1] END |  // a name is kept as it is written in records
    SET a.user_key = null, a.value = null, a.name = null, a.known_from = null)
  RETURN count(*) AS taken
}
RETURN e.entity_id AS entity_id
