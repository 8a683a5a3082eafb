// Purpose: entities that searches and contexts showed most often, with the day of the last time. Merged entities are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, kind, times, last (day).
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(member:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE member.access_count > 0
RETURN e.name AS entity, e.kind AS kind, sum(member.access_count) AS times, date(max(member.last_accessed_at)) AS last
ORDER BY times DESC, entity LIMIT $limit
