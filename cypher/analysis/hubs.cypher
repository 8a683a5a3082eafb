// Purpose: entities that are related to most others, by relations that hold. Merged entities are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, kind, others (entities that relations lead to), types (of these relations).
// Index: entity_active.
// Result on the bundled history with limit 4:
//   entity         kind    others  types
//   Bob Harlan     person  5       CLIENT_OF, IN_LAW_OF, MARRIED_TO, PARENT_OF, SIBLING_OF, WORKS_FOR
//   Dave Kowalski  person  2       IN_LAW_OF, MARRIED_TO, WORKS_FOR
//   Ellen          person  2       MARRIED_TO, SIBLING_OF
//   Delta          thing   1       OWNS
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[one:SUPERSEDES WHERE one.known_to IS NULL]->*(:Entity)-[relation]-(:Entity)
      <-[two:SUPERSEDES WHERE two.known_to IS NULL]-*(other {active: true})
USING INDEX SEEK e:Entity(user_id, active)
WHERE relation.strength > 0 AND size(coalesce(relation.archivings, [])) % 2 = 0 AND coalesce(relation.until > toString(date()), true) AND e <> other
WITH e, other, relation.name AS name ORDER BY name
RETURN e.name AS entity, e.kind AS kind, count(DISTINCT other) AS others, collect(DISTINCT name) AS types
ORDER BY others DESC, entity LIMIT $limit
