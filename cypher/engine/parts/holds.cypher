// Part: holds(thing): whether a node, record, edge or past state holds at the moment that is asked for, on both clocks.
// Needs: as_of; parameter known_at.
coalesce(@thing.known_from <= $known_at, true) AND coalesce(@thing.known_to > $known_at, @thing.known_to IS NULL)
AND coalesce(@thing.valid_from <= as_of, true) AND coalesce(@thing.valid_to > as_of, true)
