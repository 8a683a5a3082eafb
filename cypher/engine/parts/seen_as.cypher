// Part: seen_as(entity, members): the id under which the principal meets an entity of which it may read these members: for others than the user that of
//   what it was merged from, the nearest, where they may read nothing of what it was merged into: a merge there would tell of itself.
// Needs: parameters user_id, principal.
CASE WHEN $principal = $user_id OR @entity IN @members THEN @entity.entity_id
     ELSE COLLECT { MATCH (@entity)-[steps:SUPERSEDES*1..]->(near:Entity) WHERE near IN @members RETURN near.entity_id ORDER BY size(steps), near.entity_id LIMIT 1 }[0] END
