// Part: ender(relation): which relation of those of which one can hold at a time ends it, and when: {relation_id, until} of what was first said to hold of
//   those that records state after the last one that states it; null where none do. By what is stated now, in whatever order it was stored.
COLLECT {
  UNWIND CASE WHEN @relation.functional OR @relation.ended_by IS NOT NULL OR @relation.enders IS NOT NULL
              THEN [candidate IN part.rivals(@relation) WHERE candidate.strength > 0 AND candidate.last_at > @relation.last_at] ELSE [] END AS candidate
  MATCH (:Entity)<-[later:EVIDENCE {relation_id: candidate.relation_id}]-(source:Record) USING INDEX SEEK later:EVIDENCE(relation_id)
  WHERE later.known_to IS NULL AND NOT coalesce(later.ended, false)
  WITH candidate, later, coalesce(source.occurred_at, source.since, source.known_from) AS later_at
  WHERE later_at > @relation.last_at
  WITH {relation_id: candidate.relation_id, until: coalesce(later.since, toString(date(later_at)))} AS found, later_at
  RETURN found ORDER BY found.until, later_at, found.relation_id LIMIT 1
}[0]
