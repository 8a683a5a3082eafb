// Part: withdrawn(entity, used): whether no record calls an entity by its display name any more (`used`: the names that records use of it), and the user did not give it
//   that name. One that no record ever used, as the user's own where the user says `I`, stays where records use no other.
@entity.renamed IS NULL AND (@entity.name_key IS NULL
  OR NOT @entity.name_key IN @used AND NOT EXISTS { (:Node {node_id: @entity.user_id, name_key: @entity.name_key})}
     AND (size(@used) > 0 OR EXISTS { (@entity)<-[once:MENTIONS]-(:Record) WHERE @entity.name_key IN once.names }))
