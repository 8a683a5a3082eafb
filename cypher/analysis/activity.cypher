// Purpose: in which months records mention an entity, and where. Merged entities are one.
// Parameters: user_id (text: whose graph), entity (text: one of its names), limit (number: rows at most).
// Returns: month, records, nodes (names of those that hold them).
// Index: alias_name.
// Result on the bundled history with entity "Ellen", limit 6:
//   month    records  nodes
//   2023-06  1        Ellen
//   2024-03  1        Dave
//   2024-04  1        Knee
//   2024-05  1        Ellen
//   2024-08  1        Bob Harlan
//   2024-10  3        Dave, Health, Knee
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH DISTINCT e
MATCH (e)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH left(toString(date(coalesce(r.occurred_at, r.known_from))), 7) AS month, r, n ORDER BY n.name
RETURN month, count(DISTINCT r) AS records, collect(DISTINCT n.name) AS nodes
ORDER BY month LIMIT $limit
