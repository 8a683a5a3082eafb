// Part: counted(entity, place, change): the list `places` of an entity after so many mentions more at a node: its id and the number, for each node that has any.
[kept IN coalesce(@entity.places, []) WHERE NOT kept STARTS WITH @place.node_id]
+ [number IN [@change + coalesce(toInteger(substring([kept IN @entity.places WHERE kept STARTS WITH @place.node_id][0], 37)), 0)] WHERE number <> 0 | @place.node_id + ' ' + number]
