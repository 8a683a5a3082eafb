// Purpose: entities that were mentioned often and not for a long time.
// Parameters: user_id (whose graph, a text), mentions (records at least), before (a day as a text: the latest mention is older).
// Returns: name, kind, records, last (day).
// Result on the bundled history with mentions 3, before "2025-06-30":
//   name                kind    records  last
//   Margaret Lindqvist  person  3        2024-11-29
//   Jonas Weber         person  3        2025-01-12
//   Alder Falls         place   3        2025-03-16
//   Mercury             thing   3        2025-05-04
//   Mill Street         place   6        2025-06-22
CYPHER 25
MATCH (e:Entity {user_id: $user_id})
WHERE NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE merge.known_to IS NULL }
MATCH (e)-[merges:SUPERSEDES*0..8]->(member:Entity)<-[m:MENTIONS]-(r:Record)
WHERE all(merge IN merges WHERE merge.known_to IS NULL) AND m.known_to IS NULL
WITH e, count(DISTINCT r) AS records, date(max(coalesce(r.occurred_at, r.known_from))) AS last
WHERE records >= $mentions AND last < date($before)
RETURN e.name AS name, e.kind AS kind, records, last ORDER BY last, name
