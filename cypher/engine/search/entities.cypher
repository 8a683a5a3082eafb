// Purpose: the keys of entities that a search is narrowed to, with those of all that were merged with them. As for one entity, other readers than the user
//   meet only what records name that they may read.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), entities (ids).
// Returns: entity_id (as it was asked for), keys; no row for one that may not be read.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
UNWIND $entities AS entity_id
MATCH (asked:Entity {entity_id: entity_id})
WHERE asked.user_id = $user_id
MATCH (e:Entity)-[merges:SUPERSEDES*0..]->(asked)
WHERE all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
WITH as_of, rights, entity_id, asked, e
MATCH (e)-[merges:SUPERSEDES*0..]->(member:Entity)
WHERE all(merge IN merges WHERE part.holds(merge)) AND (part.mentioned(member))
WITH entity_id, asked, collect(DISTINCT member) AS members
WHERE asked IN members
RETURN entity_id, [member IN members | member.key] AS keys
