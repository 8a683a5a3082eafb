// Purpose: entities that are most central in a graph, as the job `communities` last found, with their communities.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, kind, importance (0 to 1), community (the name of its most central member).
// Index: entity_active.
// Result on the bundled history with limit 3:
//   entity         kind    importance  community
//   Bob Harlan     person  1.0         Bob Harlan
//   Dave Kowalski  person  0.85        Dave Kowalski
//   Iris           person  0.75        Iris
CYPHER 25
MATCH (e:Entity {user_id: $user_id, active: true})
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.importance IS NOT NULL
WITH e ORDER BY e.importance DESC, e.name LIMIT $limit
RETURN e.name AS entity, e.kind AS kind, round(e.importance, 2) AS importance,
       head(COLLECT { MATCH (e)-[:IN_COMMUNITY]->(c:Community)
                      MATCH (c)<-[:IN_COMMUNITY]-(one:Entity WHERE one.active) RETURN one.name ORDER BY coalesce(one.importance, 0) DESC, one.name }) AS community
ORDER BY importance DESC, entity
