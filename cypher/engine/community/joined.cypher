// Purpose: the ids of an entity and of all that are read as one with it, for the user alone: first of that which the others are part of.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), entity_id. Returns: entity_id; no row when there is no such entity.
MATCH (n:Entity)-[merges:SUPERSEDES*0..]->(:Entity {entity_id: $entity_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND n.active AND all(merge IN merges WHERE merge.known_to IS NULL)
WITH n LIMIT 1
MATCH (n)-[merges:SUPERSEDES*0..]->(member:Entity)
WHERE all(merge IN merges WHERE merge.known_to IS NULL)
RETURN member.entity_id AS entity_id ORDER BY size(merges), entity_id
