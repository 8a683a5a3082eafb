// Purpose: enters the relations that records state, each with the record as its evidence; evidence that a record no longer gives ends, and a relation
//   without evidence with it. A relation of which only one can hold at a time ends the one that was said before. Idempotent.
// Relations are found by their way from the source, one long: in a graph with few relationships Neo4j 2026.08 plans a pattern with a type that is computed,
//   as in (a)-[:$(type)]->(b), as a read of all relationships of the type, and then takes some of them for relations of (a) that are not.
// Parameters: relations [{record_id, user_id, commit_id, revision, reader, known_from, at (as of what a record mentions), stated [{relation_id, type (of the
//   relationship), name (of the type), functional, source, target (keys of entities), weight (below 1), item_id, span, since, until (texts or null), ended, fact_id
//   (a fact of the record that states it, too) or null}]}].
// Returns: applied (records that are there).
CYPHER 25
UNWIND $relations AS row
MATCH (:Node {user_id: row.user_id})-[:HOLDS]->(r:Record {record_id: row.record_id})
WITH row, r, coalesce([row.revision, row.reader] > [coalesce(r.relations_revision, 0), coalesce(r.relations_reader, 0)], false) AS newer
CALL (r, row, newer) {
  MATCH (r)-[v:EVIDENCE]->(a:Entity)-[relation]->(b:Entity)
  WHERE newer AND v.known_to IS NULL AND relation.relation_id = v.relation_id
    AND none(one IN row.stated WHERE one.source = a.key AND one.target = b.key AND one.name = relation.name)
  SET v.known_to = datetime(row.known_from), relation.strength = relation.strength - 1,
      relation.confidence = CASE WHEN relation.strength <= 1 THEN 0.0 ELSE 1 - (1 - relation.confidence) / (1 - v.weight) END,
      relation.known_to = CASE WHEN relation.strength <= 1 THEN datetime(row.known_from) END
  RETURN count(*) AS ended
}
CALL (r, row, newer) {
  UNWIND CASE WHEN newer OR row.revision IS NULL THEN row.stated ELSE [] END AS one
  WITH row, r, one WHERE NOT one.type IN ['SUPERSEDES', 'POSSIBLY_SAME']  // for the user alone
  MATCH (a:Entity {user_id: row.user_id, key: one.source}), (b:Entity {user_id: row.user_id, key: one.target})
  SET a.mentions = a.mentions  // takes the lock, so that two writers do not both create it
  WITH r, row, one, a, b
  CALL (row, one, a, b) {
    WITH row, one, a, b, EXISTS { MATCH (a)-[ways*1..1]->(other) WHERE other = b AND type(ways[0]) = one.type AND ways[0].name = one.name } AS had
    FOREACH (_ IN CASE WHEN had THEN [] ELSE [1] END |
      CREATE (a)-[:$(one.type) {name: one.name, relation_id: one.relation_id, user_id: row.user_id, strength: 0, confidence: 0.0,
                                known_from: datetime(row.known_from)}]->(b))
  }
  MATCH (a)-[ways*1..1]->(other)
  WHERE other = b AND type(ways[0]) = one.type AND ways[0].name = one.name
  WITH r, row, one, a, b, ways[0] AS relation
  WHERE NOT EXISTS { (r)-[v:EVIDENCE {relation_id: relation.relation_id}]->(a) WHERE v.known_to IS NULL }
  CREATE (r)-[:EVIDENCE {relation_id: relation.relation_id, weight: one.weight, item_id: one.item_id, fact_id: one.fact_id, span: one.span, since: one.since, until: one.until,
                         ended: one.ended, commit_id: row.commit_id, known_from: datetime(row.known_from)}]->(a)
  SET relation.strength = relation.strength + 1, relation.confidence = 1 - (1 - relation.confidence) * (1 - one.weight), relation.known_to = null,
      relation.since = coalesce(relation.since, one.since)
  FOREACH (_ IN CASE WHEN relation.last_at > datetime(row.at) THEN [] ELSE [1] END |
    SET relation.last_at = datetime(row.at), relation.until = CASE WHEN one.ended THEN coalesce(one.until, toString(date(datetime(row.at)))) END)
  WITH row, one, a, b, relation
  CALL (row, one, a, b, relation) {
    MATCH (a)-[ways*1..1]->(other:Entity)
    WITH row, one, b, relation, other, ways[0] AS old
    WHERE type(old) = one.type AND one.functional AND NOT one.ended AND other <> b AND old.name = one.name AND old.until IS NULL AND old.last_at < relation.last_at
    SET old.until = coalesce(one.since, toString(date(datetime(row.at)))), old.ended_by = relation.relation_id
  }
  RETURN count(*) AS entered
}
SET r.relations_revision = CASE WHEN newer THEN row.revision ELSE r.relations_revision END,
    r.relations_reader = CASE WHEN newer THEN row.reader ELSE r.relations_reader END
RETURN count(DISTINCT row.record_id) AS applied
