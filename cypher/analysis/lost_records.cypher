// Purpose: records that no node holds, found by what they mention.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: record (its title), day, mentioned (entities).
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (e:Entity {user_id: $user_id})<-[:MENTIONS]-(r:Record)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND NOT EXISTS { (r)<-[:HOLDS]-() }
RETURN r.title AS record, date(coalesce(r.occurred_at, r.known_from)) AS day, count(DISTINCT e) AS mentioned
ORDER BY day, record LIMIT $limit
