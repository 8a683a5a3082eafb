// Part: mentioned(entity): whether an entity is of the principal's own graph, or a record mentions it that the principal may read.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
$principal = $user_id OR EXISTS { (@entity)<-[mention:MENTIONS]-(line:Record)<-[:HOLDS]-(place:Node)
  WHERE part.holds(mention) AND part.shown(line) AND part.opened(place, 'records') }
