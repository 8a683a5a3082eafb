// Purpose: who and what is mentioned in the same records as an entity, those with most of them first; without who only speaks there. Merged entities are one.
// Parameters: user_id (text: whose graph), entity (text: one of its names), limit (number: rows at most).
// Returns: other, kind, records (with both), share (of the records with the first one).
// Index: alias_name.
// Result on the bundled history with entity "Ellen", limit 5:
//   other          kind    records  share
//   Dave Kowalski  person  13       0.57
//   Ruth           person  7        0.3
//   Osprey Lane    place   5        0.22
//   Owen           person  5        0.22
//   Birch Street   place   4        0.17
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH collect(DISTINCT e) AS members
UNWIND members AS e
MATCH (e)<-[m:MENTIONS]-(r:Record) WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true)
WITH members, collect(DISTINCT r) AS records
UNWIND records AS r
MATCH (r)-[m:MENTIONS {role: 'mention'}]->(:Entity)<-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(other:Entity {active: true})
WHERE m.known_to IS NULL AND NOT other IN members
WITH other, count(DISTINCT r) AS both, size(records) AS records
RETURN other.name AS other, other.kind AS kind, both AS records, round(1.0 * both / records, 2) AS share
ORDER BY records DESC, other LIMIT $limit
