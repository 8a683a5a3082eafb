// Purpose: the relations of entities, and of those that were merged into them, in both directions, at any moment and for any reader; first those with a
//   wanted entity, then the strongest: those for which a record speaks that may be read, as strong as such records make them, and over where they say so.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), entity_ids, among (only those from one of these entities to another one), ended (also relations that are over or archived), wanted
//   (their types or the ids of their other entities, with blank ones to 11: one size class; all of them where it begins with *), limit.
// Returns: relations, as entity/relations does.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
UNWIND $entity_ids AS entity_id
MATCH (asked:Entity {entity_id: entity_id})
WHERE asked.user_id = $user_id
MATCH (e:Entity)-[merges:SUPERSEDES*0..]->(asked)
WHERE all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
WITH as_of, rights, e, asked WHERE part.mentioned(asked)
WITH DISTINCT as_of, rights, e
MATCH (e)-[merges:SUPERSEDES*0..]->(member:Entity)
WHERE all(merge IN merges WHERE part.holds(merge))
WITH as_of, rights, e, collect(member) AS all_of, collect(CASE WHEN part.mentioned(member) THEN member END) AS readable
WITH as_of, rights, e, all_of, part.seen_as(e, readable) AS id
UNWIND all_of AS member
WITH as_of, rights, collect({whole: e, id: id, member: member}) AS members
UNWIND members AS one
WITH as_of, rights, members, one.whole AS e, one.id AS id, one.member AS member
MATCH (member)-[relation]-(other:Entity)
WHERE relation.relation_id IS NOT NULL AND relation.known_from <= $known_at
  AND ($wanted[0] = '*' OR relation.name IN $wanted OR other.entity_id IN $wanted)
  AND (NOT $among OR startNode(relation) = member AND any(one IN members WHERE one.member = other AND one.whole <> e))
CALL (as_of, rights, relation) {
  MATCH (:Entity)<-[v:EVIDENCE {relation_id: relation.relation_id}]-(r:Record)<-[:HOLDS]-(n:Node) USING INDEX SEEK v:EVIDENCE(relation_id)
  WHERE part.holds(v) AND part.shown(r) AND part.opened(n, 'records')
  OPTIONAL MATCH (stating:Fact {fact_id: v.fact_id})
  WITH as_of, rights, relation, v, coalesce(r.occurred_at, r.known_from) AS at, part.over_from(stating) AS over_from ORDER BY at, v.known_from
  WITH as_of, rights, relation, collect(v) AS all_of, max(at) AS last_at,  // what only facts state that are over is over with the last of them
       CASE WHEN all(one IN collect(v.ended OR over_from IS NOT NULL) WHERE one) THEN max(over_from) END AS over
  CALL (as_of, rights, relation, last_at) {
    UNWIND [relation.ended_by] + coalesce(relation.enders, []) AS ender
    MATCH (source:Entity)<-[next:EVIDENCE {relation_id: ender}]-(line:Record)<-[:HOLDS]-(place:Node) USING INDEX SEEK next:EVIDENCE(relation_id)  // a young graph's plan would read all evidence for each relation
    WHERE part.holds(next) AND part.shown(line) AND part.opened(place, 'records') AND coalesce(line.occurred_at, line.known_from) > last_at
      AND NOT coalesce(next.ended, false)
    WITH as_of, relation, ender, source, min(coalesce(next.since, toString(date(coalesce(line.occurred_at, line.known_from))))) AS said
    MATCH (source)-[rival]->(target:Entity)
    WHERE rival.relation_id = ender
    WITH said, relation, [end IN [startNode(relation), endNode(relation), source, target] | part.whole_then(end)] AS wholes
    WITH said, relation, wholes[..2] AS own, wholes[2] AS first, wholes[3] AS second  // as part.rivals has it now
    WHERE (first = own[0] OR relation.symmetric AND (first = own[1] OR second IN own)) AND own[0] <> own[1]
      AND NOT (first IN own AND second IN own)
    RETURN min(said) AS followed
  }
  WITH all_of, last_at, last(all_of) AS newest, over, followed
  RETURN size(all_of) AS strength, part.confidence(all_of) AS confidence,
         part.first_since(all_of) AS since,
         CASE WHEN newest.ended THEN coalesce(newest.until, toString(date(last_at)))
              ELSE CASE WHEN over < followed OR followed IS NULL THEN over ELSE followed END END AS until
}
WITH as_of, rights, members, e, id, member, relation, other, strength, confidence, since, until
WHERE strength > 0 AND ($ended OR (until IS NULL OR until > toString(date(as_of))) AND NOT part.archived(relation)) AND part.mentioned(other)
WITH as_of, rights, members, e, id, member, relation, other, strength, confidence, since, until ORDER BY other.entity_id IN $wanted DESC, strength DESC, confidence DESC,
     CASE WHEN $principal = $user_id THEN other.key ELSE relation.relation_id END, relation.name, startNode(relation) = member, relation.relation_id LIMIT $limit
WITH as_of, rights, members, other, collect({id: id, member: member, relation: relation, strength: strength, confidence: confidence, since: since, until: until}) AS found
WITH as_of, members, other, found, part.called(other) AS called, part.kind_of(other) AS kind  // once an entity, however many relations it has: all its mentions are read for them
UNWIND found AS one
WITH as_of, members, other, called, kind, one.id AS id, one.member AS member, one.relation AS relation, one AS values
ORDER BY other.entity_id IN $wanted DESC, values.strength DESC, values.confidence DESC,
         CASE WHEN $principal = $user_id THEN other.key ELSE called END, relation.name, startNode(relation) = member, relation.relation_id
RETURN collect([id, CASE WHEN $among THEN [one IN members WHERE one.member = other | one.id][0] END,
                relation.relation_id, relation.name, startNode(relation) = member, other.entity_id, called, kind, values.strength,
                values.confidence, values.since, values.until, part.archived(relation), CASE WHEN $principal = $user_id THEN relation.properties END]) AS relations
