// Part: fact_count(entity): how many live facts are about an entity and what was merged into it, now; for others than the user those that they may read.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
CASE WHEN $principal = $user_id THEN reduce(total = 0, part_of IN COLLECT {
  MATCH (@entity)-[joins:SUPERSEDES*0..]->(joined:Entity)
  WHERE all(join IN joins WHERE part.holds(join))
  RETURN coalesce(joined.fact_count, 0)
} | total + part_of) ELSE COUNT {
  MATCH (@entity)-[joins:SUPERSEDES*0..]->(joined:Entity)<-[:ABOUT]-(fact:Fact)<-[stating:STATES]-(line:Record)<-[:HOLDS]-(place:Node)
  WHERE all(join IN joins WHERE part.holds(join)) AND stating.fact_id = fact.fact_id AND stating.known_to IS NULL AND part.told(fact, line)
    AND part.opened(place, 'records') AND part.opened(place, 'items')
  RETURN DISTINCT fact
} END
