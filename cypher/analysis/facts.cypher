// Purpose: the facts about an entity, the newest first, those that are over with their end. Merged entities are one.
// Parameters: user_id (text: whose graph), entity (text: one of its names), limit (number: rows at most).
// Returns: fact (its caption), status, subject (whether it is the subject), since and until (days; of a plan its day), records (that state it).
// Index: alias_name.
// Result on the bundled history with entity "Ellen":
//   fact                             status      subject  since       until       records
//   Ellen lives at 8 Osprey Lane.    live        true     2025-10-18              1
//   Ellen lives at 27 Birch Street.  superseded  true     2023-06-01  2025-10-18  1
CYPHER 25
MATCH (called:Alias {user_id: $user_id, key: toLower($entity)})-[:NAMES]->(:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
USING INDEX SEEK called:Alias(user_id, key)
WITH DISTINCT e
MATCH (e)<-[about:ABOUT]-(f:Fact)
WHERE f.status <> 'withdrawn' AND f.caption IS NOT NULL
WITH f, max(CASE WHEN about.primary THEN 1 ELSE 0 END) = 1 AS subject
RETURN f.caption AS fact, f.status AS status, subject, date(coalesce(f.valid_from, f.said_at, f.known_from)) AS since, date(coalesce(f.valid_to, f.holds_until)) AS until,
       COUNT { MATCH (f)<-[s:STATES]-(r:Record) WHERE s.known_to IS NULL RETURN DISTINCT r } AS records
ORDER BY since DESC, fact LIMIT $limit
