// Purpose: how many entities of each kind records mention, and how many only once. Merged entities are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: kind, entities, once (mentioned by one record only), records (that mention one of the kind).
// Index: entity_active.
// Result on the bundled history:
//   kind          entities  once  records
//   person        29        8     75
//   thing         25        16    21
//   place         20        6     32
//   organization  5         2     11
//   event         2         2     1
//   work          2         2     1
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(:Entity)<-[m:MENTIONS]-(r:Record)
USING INDEX SEEK e:Entity(user_id, active)
WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH e, collect(DISTINCT r) AS records
UNWIND records AS r
RETURN e.kind AS kind, count(DISTINCT e) AS entities, count(DISTINCT CASE WHEN size(records) = 1 THEN e END) AS once, count(DISTINCT r) AS records
ORDER BY entities DESC, kind LIMIT $limit
