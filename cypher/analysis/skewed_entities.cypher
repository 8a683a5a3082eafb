// Purpose: entities whose counts are not those of their mentions and live facts. `neurigraph doctor` finds and mends what this shows.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: entity, mentions and facts (as the entity says), mentioned and live (as the graph has them).
// Index: entity_active.
// Result on the bundled history:
//   none
CYPHER 25
MATCH (e:Entity {user_id: $user_id})
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL
WITH e, COUNT { (e)<-[m:MENTIONS]-(:Record) WHERE m.known_to IS NULL } AS mentioned, COUNT { (e)<-[:ABOUT]-(:Fact {status: 'live'}) } AS live
WHERE coalesce(e.mentions, 0) <> mentioned OR coalesce(e.fact_count, 0) <> live
RETURN e.name AS entity, e.mentions AS mentions, mentioned, coalesce(e.fact_count, 0) AS facts, live
ORDER BY entity LIMIT $limit
