// Purpose: the names and addresses of an entity, also those of what was merged into it.
// Parameters: user_id (text: whose graph), entity (text: one of its names), limit (number: rows at most).
// Returns: type, name, verified (whether the user vouched for it), of (the entity that has it), records (that use it for one of these).
// Index: alias_name.
// Result on the bundled history with entity "Lindy's Diner":
//   type  name           verified  of             records
//   name  Lindy          false     Lindy          3
//   name  Lindy's Diner  false     Lindy's Diner  1
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH DISTINCT e
MATCH (a:Alias)-[:NAMES]->(e)
RETURN a.type AS type, a.value AS name, coalesce(a.verified, false) AS verified, e.name AS of,
       COUNT { MATCH (e)<-[m:MENTIONS]-(r:Record) WHERE m.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND a.key IN m.names RETURN DISTINCT r } AS records
ORDER BY type, records DESC, name LIMIT $limit
