// Purpose: two entities of a graph, and which ones they are read as, for its user.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at (the end of time is now),
//   entity_id, merged_id.
// Returns: entity_as, merged_as (ids); no row when one of them is missing.
WITH $as_of AS as_of
MATCH (n:Entity {entity_id: $entity_id}), (other:Entity {entity_id: $merged_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND other.user_id = $user_id
RETURN COLLECT { MATCH (whole:Entity)-[merges:SUPERSEDES*0..]->(n)
                 WHERE all(merge IN merges WHERE part.holds(merge)) RETURN whole.entity_id ORDER BY size(merges) DESC LIMIT 1 }[0] AS entity_as,
       COLLECT { MATCH (whole:Entity)-[merges:SUPERSEDES*0..]->(other)
                 WHERE all(merge IN merges WHERE part.holds(merge)) RETURN whole.entity_id ORDER BY size(merges) DESC LIMIT 1 }[0] AS merged_as
