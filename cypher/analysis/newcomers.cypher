// Purpose: entities that records first mention between two days. Merged entities are one.
// Parameters: user_id (text: whose graph), from (day: the first one), to (day: the one after the last), limit (number: rows at most).
// Returns: day (of the first mention), entity, kind, records (that mention it up to today).
// Index: entity_active.
// Result on the bundled history with from "2026-01-01", to "2026-03-01", limit 5:
//   day         entity  kind    records
//   2026-02-09  Advent  thing   1
//   2026-02-09  Lund    person  1
//   2026-02-09  Savior  thing   1
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(:Entity)<-[m:MENTIONS]-(r:Record)
USING INDEX SEEK e:Entity(user_id, active)
WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH e, date(min(coalesce(r.occurred_at, r.known_from))) AS day, count(DISTINCT r) AS records
WHERE day >= date($from) AND day < date($to)
RETURN day, e.name AS entity, e.kind AS kind, records
ORDER BY day, entity LIMIT $limit
