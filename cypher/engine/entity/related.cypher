// Purpose: enters the relations that records state, each with the record as its evidence; evidence that a record no longer gives ends, and a relation
//   without evidence with it. A relation of which only one can hold at a time ends the one that was said before of its source, and of its target, too, where the
//   direction says nothing; what was said before and comes late is over at once. Idempotent.
// Parameters: relations [{record_id, user_id, commit_id, revision, reader, rewordings, known_from, at (as of what a record mentions), stated [{relation_id, type (of the
//   relationship), name (of the type), functional, symmetric (of a functional one: it holds for both ends alike; or missing), source, target (keys of entities), weight (below 1), item_id, span, since, until (texts or null), ended, fact_id
//   (a fact of the record that states it, too) or null}]}].
// Returns: applied (records that are there).
CYPHER 25
UNWIND range(0, size($relations) - 1) AS place
WITH place, $relations[place] AS row
MATCH (r:Record {record_id: row.record_id})
WHERE r.user_id = row.user_id AND EXISTS { (:Node {user_id: row.user_id})-[:HOLDS]->(r) }
WITH place, row, r ORDER BY row.record_id
SET r.since = coalesce(r.since, r.known_from)  // takes the lock: a withdrawal meanwhile would end the same evidence, and each would count it
WITH place, row, r ORDER BY place
WITH row, r, coalesce([row.revision, row.reader] > [coalesce(r.relations_revision, 0), coalesce(r.relations_reader, 0)], false) AS newer
CALL (r, row, newer) {
  MATCH (r)-[v:EVIDENCE]->(a:Entity)-[relation]->(b:Entity)
  WHERE newer AND v.known_to IS NULL AND relation.relation_id = v.relation_id
    AND none(one IN row.stated WHERE one.source = a.key AND one.target = b.key AND one.name = relation.name
             AND (NOT coalesce(row.rewordings > 0, false) OR one.item_id = v.item_id AND one.span = v.span AND one.ended = v.ended
                  AND coalesce(one.since, '') = coalesce(v.since, '') AND coalesce(one.until, '') = coalesce(v.until, '')))
  SET v.known_to = datetime(row.known_from), v.reworded = CASE WHEN row.rewordings > 0 THEN true END, relation.strength = relation.strength - 1,
      relation.confidence = CASE WHEN relation.strength <= 1 THEN 0.0 ELSE 1 - (1 - relation.confidence) / (1 - v.weight) END,
      relation.known_to = CASE WHEN relation.strength <= 1 THEN datetime(row.known_from) END
  RETURN collect(DISTINCT CASE WHEN row.rewordings > 0 THEN {source: a, relation_id: relation.relation_id} END) AS reworded
}
CALL (r, row, newer) {
  UNWIND CASE WHEN newer OR row.revision IS NULL THEN row.stated ELSE [] END AS one
  WITH row, r, one WHERE NOT one.type IN ['SUPERSEDES', 'POSSIBLY_SAME']  // for the user alone
  MATCH (a:Entity {user_id: row.user_id, key: one.source}), (b:Entity {user_id: row.user_id, key: one.target})
  SET a.lone = false, b.lone = false  // takes the lock, so that two writers do not both create it
  FOREACH (_ IN CASE WHEN one.symmetric THEN [1] ELSE [] END |  // nor miss what the other one ends; keys are in order
    SET b.paired = [key IN coalesce(b.paired, []) WHERE key <> a.key] + a.key)
  FOREACH (member IN CASE WHEN one.symmetric THEN part.whole(a) + part.whole(b) WHEN one.functional THEN part.whole(a) ELSE [] END |
    SET member.lone = false)  // what is said of those that are one with it may end this; a merge locks one of them
  WITH r, row, one, a, b
  CALL (row, one, a, b) {
    WITH row, one, a, b, size(part.stated_before(one, a, b)) > 0 AS had
    FOREACH (_ IN CASE WHEN had THEN [] ELSE [1] END |
      CREATE (a)-[:$(one.type) {name: one.name, relation_id: one.relation_id, user_id: row.user_id, strength: 0, confidence: 0.0,
                                known_from: datetime(row.known_from)}]->(b))
  }
  UNWIND part.stated_before(one, a, b) AS relation
  WITH r, row, one, a, b, relation
  WHERE NOT EXISTS { MATCH (r)-[v:EVIDENCE {relation_id: relation.relation_id}]->(a) USING INDEX SEEK v:EVIDENCE(relation_id) WHERE v.known_to IS NULL }
  CREATE (r)-[:EVIDENCE {relation_id: relation.relation_id, weight: one.weight, item_id: one.item_id, fact_id: one.fact_id, span: one.span, since: one.since, until: one.until,
                         ended: one.ended, commit_id: row.commit_id, known_from: datetime(row.known_from)}]->(a)
  WITH row, one, relation, relation.strength > 0 AS held
  SET relation.strength = relation.strength + 1, relation.confidence = 1 - (1 - relation.confidence) * (1 - one.weight), relation.known_to = null,
      relation.since = CASE WHEN held AND relation.since <= coalesce(one.since, '~') THEN relation.since ELSE one.since END,
      relation.symmetric = CASE WHEN one.symmetric THEN true END, relation.functional = CASE WHEN one.functional THEN true END
  WITH row, one, relation, coalesce(NOT held OR relation.last_at <= datetime(row.at), true) AS newest
  FOREACH (_ IN CASE WHEN newest THEN [1] ELSE [] END |
    SET relation.enders = part.enders(relation), relation.ended_by = null, relation.ended_with = null, relation.last_at = datetime(row.at),
        relation.until = CASE WHEN one.ended THEN coalesce(one.until, toString(date(datetime(row.at)))) END)
  WITH row, one, relation, newest WHERE one.functional AND NOT one.ended
  CALL (row, one, relation) {  // it ends those that were said before it, also where one that began later had ended them; not what a text ends
    WITH relation, coalesce(one.since, toString(date(datetime(row.at)))) AS until, datetime(row.at) AS at
    UNWIND [old IN part.rivals(relation) WHERE old.strength > 0 AND old.last_at < at AND (old.until IS NULL OR old.ended_by IS NOT NULL AND old.until > until)] AS old
    SET old.enders = part.enders(old), old.until = until, old.ended_by = relation.relation_id, old.functional = true
  }
  WITH relation, CASE WHEN newest THEN part.ender(relation) END AS ender WHERE ender IS NOT NULL  // stated late: it was over when the next one was said
  SET relation.until = ender.until, relation.ended_by = ender.relation_id
  RETURN count(*) AS entered
}
CALL (reworded) {  // what a text no longer states is over: the others say since when and until when; what it had ended holds until the next of its sort
  UNWIND reworded AS one
  WITH one.source AS a, one.relation_id AS relation_id
  MATCH (a)-[relation]->(:Entity)
  WHERE relation.relation_id = relation_id
  WITH relation, relation_id, part.given_now(relation) AS given
  WITH relation, relation_id, given, last(given) AS newest
  FOREACH (_ IN CASE WHEN newest IS NULL THEN [] ELSE [1] END |
    SET relation.since = part.first_since(given),
        relation.last_at = newest.said, relation.enders = part.enders(relation), relation.ended_by = null,
        relation.until = part.own_until(relation, given))
  UNWIND CASE WHEN newest IS NOT NULL AND relation.until IS NULL THEN [relation] ELSE [] END + [old IN part.rivals(relation) WHERE old.ended_by = relation_id] AS old
  WITH old, part.ender(old) AS ender
  SET old.enders = part.enders(old), old.until = ender.until, old.ended_by = ender.relation_id
}
SET r.relations_revision = CASE WHEN newer THEN row.revision ELSE r.relations_revision END,
    r.relations_reader = CASE WHEN newer AND coalesce(row.rewordings, 0) <> coalesce(r.rewordings, 0) THEN 0 WHEN newer THEN row.reader
                              ELSE r.relations_reader END
RETURN count(DISTINCT row.record_id) AS applied
