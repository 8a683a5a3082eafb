// Part: given_now(relation): what records state of a relation now, what was said first comes first; `past`: it is over, or the fact that states it is.
COLLECT {
  WITH startNode(@relation) AS stated_of
  MATCH (stated_of)<-[evidence:EVIDENCE {relation_id: @relation.relation_id}]-(line:Record) WHERE evidence.known_to IS NULL
  OPTIONAL MATCH (stating:Fact {fact_id: evidence.fact_id})
  WITH evidence, coalesce(line.occurred_at, line.since, line.known_from) AS said, coalesce(stating.status IN ['superseded', 'invalidated'], false) AS over_with_fact
  ORDER BY said, evidence.known_from
  RETURN {weight: evidence.weight, since: evidence.since, until: evidence.until, ended: evidence.ended, said: said, past: evidence.ended OR over_with_fact}
}
