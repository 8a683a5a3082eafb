// Purpose: where a graph speaks of an entity: the nodes, those with most records first.
// Parameters: user_id (text: whose graph), entity (text: one of its names), limit (number: rows at most).
// Returns: node (its path below the root), records (that mention it there), first and last (days).
// Index: alias_name.
// Result on the bundled history with entity "Ellen":
//   node                        records  first       last
//   Family/Siblings/Ellen       4        2023-06-01  2025-11-09
//   Family/Parents              3        2024-11-29  2025-09-28
//   Hobbies/Fishing             3        2026-02-09  2026-03-15
//   Family                      2        2025-12-28  2026-03-15
//   Family/Siblings/Ellen/Dave  2        2024-10-16  2024-11-29
//   Health/Knee                 2        2024-04-02  2024-10-16
//   /                           1        2024-08-11  2024-08-11
//   Business/Employees          1        2026-03-15  2026-03-15
//   Business/Employees/Dave     1        2025-05-04  2025-05-04
//   Business/Finances           1        2025-12-28  2025-12-28
//   Health                      1        2024-10-16  2024-10-16
//   Hobbies/Fishing/Dave        1        2024-03-10  2024-03-10
//   Hobbies/Woodturning         1        2025-03-16  2025-03-16
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(named:Entity)-[merges:SUPERSEDES*0..8]-(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
MATCH (e)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
MATCH way = (:User {node_id: $user_id})-[:HAS_CHILD*0..5]->(n)
WITH n, substring(reduce(path = '', p IN tail(nodes(way)) | path + '/' + p.name), 1) AS path, collect(DISTINCT r) AS records
UNWIND records AS r
RETURN CASE path WHEN '' THEN '/' ELSE path END AS node, count(r) AS records,
       date(min(coalesce(r.occurred_at, r.known_from))) AS first, date(max(coalesce(r.occurred_at, r.known_from))) AS last
ORDER BY records DESC, node LIMIT $limit
