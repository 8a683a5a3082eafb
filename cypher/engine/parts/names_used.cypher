// Part: names_used(entity): all names of an entity; for others than the user those that records use which they may read.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
CASE WHEN $principal = $user_id THEN [(alias:Alias {type: 'name'})-[:NAMES]->(@entity) | alias.value] ELSE COLLECT {
  MATCH (@entity)<-[mention:MENTIONS]-(line:Record)<-[:HOLDS]-(place:Node)
  WHERE part.holds(mention) AND part.shown(line) AND part.opened(place, 'records')
  UNWIND mention.names AS key
  MATCH (alias:Alias {user_id: $user_id, type: 'name', key: key})
  RETURN DISTINCT alias.value ORDER BY alias.value
} END
