// Purpose: who speaks in records. Merged entities are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, records, nodes (that hold them), first and last (days).
// Index: entity_active.
// Result on the bundled history:
//   entity      records  nodes  first       last
//   Bob Harlan  64       22     2024-03-10  2026-03-15
//   Iris        64       22     2024-03-10  2026-03-15
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(:Entity)<-[m:MENTIONS {role: 'author'}]-(r:Record)<-[:HOLDS]-(n:Node)
USING INDEX SEEK e:Entity(user_id, active)
WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
RETURN e.name AS entity, count(DISTINCT r) AS records, count(DISTINCT n) AS nodes,
       date(min(coalesce(r.occurred_at, r.known_from))) AS first, date(max(coalesce(r.occurred_at, r.known_from))) AS last
ORDER BY records DESC, entity LIMIT $limit
