// Purpose: who and what most records mention, with the time and the nodes of these. Merged entities are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, kind, records, nodes (that hold them), first and last (days).
// Index: entity_active.
// Result on the bundled history with limit 6:
//   entity         kind    records  nodes  first       last
//   Bob Harlan     person  68       22     2024-03-10  2026-03-15
//   Iris           person  65       22     2024-03-10  2026-03-15
//   Dave Kowalski  person  41       19     2024-03-10  2026-03-15
//   Ellen          person  23       13     2023-06-01  2026-03-15
//   Marianne       person  16       11     2024-03-10  2026-03-15
//   Luis Ortega    person  10       7      2024-06-18  2026-03-15
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(:Entity)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
USING INDEX SEEK e:Entity(user_id, active)
WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
RETURN e.name AS entity, e.kind AS kind, count(DISTINCT r) AS records, count(DISTINCT n) AS nodes,
       date(min(coalesce(r.occurred_at, r.known_from))) AS first, date(max(coalesce(r.occurred_at, r.known_from))) AS last
ORDER BY records DESC, entity LIMIT $limit
