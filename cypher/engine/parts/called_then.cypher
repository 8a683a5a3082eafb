// Part: called_then(entity): the display name of an entity as it was known at the moment that is asked for: a corrected one from the correction on.
// Needs: parameter known_at.
coalesce(head([number IN range(0, size(coalesce(@entity.renamed, [])) - 1) WHERE @entity.renamed[number] > $known_at | @entity.names_before[number]]), @entity.name)
