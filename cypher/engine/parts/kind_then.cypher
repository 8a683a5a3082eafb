// Part: kind_then(entity): the kind of an entity as it was known at the moment that is asked for: a corrected one from the correction on.
// Needs: parameter known_at.
coalesce(head([number IN range(0, size(coalesce(@entity.rekinded, [])) - 1) WHERE @entity.rekinded[number] > $known_at | @entity.kinds_before[number]]), @entity.kind)
