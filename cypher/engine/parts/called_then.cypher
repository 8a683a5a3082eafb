// Part: called_then(entity): the display name of an entity as it was known at the moment that is asked for: one that records use no more until they did, a corrected one from
//   the correction on. After a correction records change no name.
// Needs: parameter known_at.
coalesce(head([number IN range(0, size(coalesce(@entity.withdrawn_at, [])) - 1) WHERE @entity.withdrawn_at[number] > $known_at | @entity.names_withdrawn[number]]),
         head([number IN range(0, size(coalesce(@entity.renamed, [])) - 1) WHERE @entity.renamed[number] > $known_at | @entity.names_before[number]]), @entity.name)
