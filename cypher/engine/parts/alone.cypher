// Part: alone(entity, record): whether of the record, the only one that may be read of those that mention an entity, one passage alone does, and no fact and no relation
//   of this record speaks of it; for the user also, that it decided nothing of it.
//   A span is `item:start-end`.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
NOT part.decided(@entity) AND part.fact_count(@entity) = 0 AND NOT EXISTS {
  MATCH (@entity)-[joins:SUPERSEDES*0..]->(:Entity)-[relation]-(:Entity)
  WHERE relation.relation_id IS NOT NULL AND all(one IN joins WHERE part.holds(one))
    AND EXISTS { MATCH (:Entity)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(line:Record) WHERE line = @record AND part.holds(v) }
} AND (NOT EXISTS { MATCH (@record)<-[:HOLDS]-(place:Node) WHERE part.opened(place, 'items') } OR COUNT {
  MATCH (@entity)-[joins:SUPERSEDES*0..]->(:Entity)<-[m:MENTIONS]-(line:Record)
  WHERE line = @record AND part.holds(m) AND all(one IN joins WHERE part.holds(one))
  UNWIND m.spans AS span
  RETURN DISTINCT left(span, 36)
} < 2)
