// Part: known_by(entity, key): whether an entity is of the principal's own graph, or a record calls it so which the principal may read.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
CASE WHEN $principal = $user_id THEN true ELSE EXISTS { (@entity)<-[mention:MENTIONS]-(line:Record)<-[:HOLDS]-(place:Node)
  WHERE @key IN mention.names AND part.holds(mention) AND part.shown(line) AND part.opened(place, 'records') } END
