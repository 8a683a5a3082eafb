// Merged entities are one, so of relations of which one can hold at a time that of one of them ends what was said before of the other. What leads to
// places that are one ends nothing.

MATCH (:Entity)-[known]->(:Entity) WHERE known.functional
WITH collect(DISTINCT known.name) AS names
MATCH (:Entity)-[relation]->(:Entity)
WHERE relation.relation_id IS NOT NULL AND relation.functional IS NULL AND relation.name IN names
SET relation.functional = true;

MATCH (one:Entity)-[merge:SUPERSEDES]-(:Entity) WHERE merge.known_to IS NULL
WITH DISTINCT one
MATCH (one)-[relation]-(:Entity)
WHERE relation.functional AND relation.strength > 0 AND (relation.until IS NULL OR relation.ended_by IS NOT NULL)
WITH DISTINCT relation
WITH relation, [end IN [startNode(relation), endNode(relation)] | COLLECT {
  MATCH (end)-[merges:SUPERSEDES*0..]-(member:Entity) WHERE all(merge IN merges WHERE merge.known_to IS NULL) RETURN DISTINCT member }] AS ends
WITH relation, COLLECT {
  UNWIND CASE WHEN endNode(relation) IN ends[0] THEN [] WHEN relation.symmetric THEN ends[0] + ends[1] ELSE ends[0] END AS member
  MATCH (member)-[rival]-(:Entity)
  WHERE rival.name = relation.name AND rival.strength > 0 AND rival.last_at > relation.last_at AND (relation.symmetric OR startNode(rival) = member)
    AND NOT (startNode(rival) IN ends[0] + ends[1] AND endNode(rival) IN ends[0] + ends[1])
  WITH DISTINCT rival, startNode(rival) AS source
  MATCH (source)<-[later:EVIDENCE {relation_id: rival.relation_id}]-(line:Record)
  WHERE later.known_to IS NULL AND NOT coalesce(later.ended, false)
  WITH rival, later, coalesce(line.occurred_at, line.since, line.known_from) AS said
  WHERE said > relation.last_at
  WITH {relation_id: rival.relation_id, until: coalesce(later.since, toString(date(said)))} AS found, said
  RETURN found ORDER BY found.until, said, found.relation_id LIMIT 1
}[0] AS ender
WHERE ender.relation_id <> relation.ended_by OR (ender IS NULL) <> (relation.ended_by IS NULL)
SET relation.enders = CASE WHEN relation.ended_by IS NULL THEN relation.enders
                           ELSE [id IN coalesce(relation.enders, []) WHERE id <> relation.ended_by] + relation.ended_by END,
    relation.until = ender.until, relation.ended_by = ender.relation_id;
