// Purpose: who and what is in one community with an entity, the most central first. Merged entities are one.
// Parameters: user_id (text: whose graph), entity (text: one of its names), limit (number: rows at most).
// Returns: member, kind, importance, records (that mention it; those of the whole where entities are merged).
// Index: alias_name.
// Result on the bundled history with entity "Ellen", limit 5:
//   member         kind    importance  records
//   Dave Kowalski  person  0.85        41
//   Luis Ortega    person  0.5         10
//   Halfmoon Lake  place   0.42        6
//   Osprey Lane    place   0.42        5
//   Yamaha         thing   0.32        2
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH DISTINCT e
MATCH (e)-[:IN_COMMUNITY]->(c:Community)<-[:IN_COMMUNITY]-(member:Entity)
WHERE member.active
RETURN member.name AS member, member.kind AS kind, round(coalesce(member.importance, 0.0), 2) AS importance,
       COUNT { MATCH (member)-[part:SUPERSEDES WHERE part.known_to IS NULL]->*(:Entity)<-[m:MENTIONS WHERE m.known_to IS NULL]-(r:Record) WHERE r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) RETURN DISTINCT r } AS records
ORDER BY importance DESC, member LIMIT $limit
