// Part: said_of(entity): the words around the name of an entity in its first records, which say who it is, and when each of these happened; for others than the user in those that they may read.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at, said (records).
COLLECT {
  MATCH (@entity)<-[mention:MENTIONS {role: 'mention'}]-(line:Record)<-[:HOLDS]-(place:Node)
  WHERE part.holds(mention) AND ($principal = $user_id OR part.shown(line) AND part.opened(place, 'records'))
  RETURN {text: mention.context, at: line.occurred_at} ORDER BY mention.known_from, mention.context LIMIT $said
}
