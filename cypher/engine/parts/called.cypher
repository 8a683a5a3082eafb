// Part: called(entity): the name of an entity: for others than the user the longest that a record uses which they may read, whatever the
//   user or hidden records call it; its kind where they only speak of `my sister`.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
CASE WHEN $principal = $user_id THEN part.called_then(@entity) ELSE coalesce(COLLECT {
  MATCH (@entity)<-[mention:MENTIONS]-(line:Record)<-[:HOLDS]-(place:Node)
  WHERE part.holds(mention) AND part.shown(line) AND part.opened(place, 'records')
  UNWIND mention.names AS key
  WITH DISTINCT key
  MATCH (alias:Alias {user_id: $user_id, type: 'name', key: key})
  RETURN alias.value ORDER BY size(alias.value) DESC, alias.value LIMIT 1
}[0], part.kind_of(@entity)) END
