// Part: kind_of(entity): the kind of an entity; for others than the user as those mentions give it which they may read.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
CASE WHEN $principal = $user_id THEN part.kind_then(@entity) ELSE coalesce(COLLECT {
  MATCH (@entity)<-[mention:MENTIONS]-(line:Record)<-[:HOLDS]-(place:Node)
  WHERE mention.kind <> 'thing' AND part.holds(mention) AND part.shown(line) AND part.opened(place, 'records')
  WITH mention.kind AS told, count(*) AS times RETURN told ORDER BY times DESC, told LIMIT 1
}[0], 'thing') END
