// Part: holds(thing): whether a node, record, edge or past state holds at the moment that is asked for, on both clocks: none of its bounds
//   rules it out. One expression: with four the list of entities takes a third longer to plan.
// Needs: as_of; parameter known_at.
coalesce(NOT (@thing.known_from > $known_at OR @thing.known_to <= $known_at OR @thing.valid_from > as_of OR @thing.valid_to <= as_of), true)
