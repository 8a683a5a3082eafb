// Purpose: entities that are most central in a graph, as the job `communities` last found, with their communities and their summaries.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, kind, importance (0 to 1), community, summary.
// Index: entity_active.
// Result on the bundled history with limit 5:
//   entity         kind    importance  community                            summary
//   Bob Harlan     person  1.0         Bob Harlan, Dave Kowalski, Ellen, …  person; a sibling of Ellen; an in-law of Dave Kowalski
//   Dave Kowalski  person  0.83        Bob Harlan, Dave Kowalski, Ellen, …  person; an in-law of Bob Harlan; works for Bob Harlan
//   Ellen          person  0.77        Bob Harlan, Dave Kowalski, Ellen, …  person; a sibling of Bob Harlan; married to Dave Kowalski
//   Iris           person  0.75        Iris, Mill Street, Gail Stroud, …    person
//   Marianne       person  0.65        Marianne, Ireland, Lindy's Diner, …  person; married to Bob Harlan
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.importance IS NOT NULL
WITH e ORDER BY e.importance DESC, e.name LIMIT $limit
RETURN e.name AS entity, e.kind AS kind, round(e.importance, 2) AS importance,
       head(COLLECT { MATCH (e)-[:IN_COMMUNITY]->(c:Community) RETURN c.name ORDER BY c.name }) AS community, e.summary AS summary
ORDER BY importance DESC, entity
