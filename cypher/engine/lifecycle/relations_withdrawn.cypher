// Purpose: takes away what a discarded commit may have entered as evidence of relations, with relations that nothing else states or stated; what such a
//   one ended goes on. Operator only. Idempotent. Parameters: relations [{record_id, commit_id, user_id}]. Returns: withdrawn (pieces of evidence).
CYPHER 25
UNWIND $relations AS row
MATCH (r:Record {record_id: row.record_id})-[v:EVIDENCE {commit_id: row.commit_id}]->(a:Entity)
WHERE r.user_id = row.user_id
WITH a, v, v.relation_id AS relation_id
DELETE v
WITH a, relation_id, count(*) AS pieces
CALL (a, relation_id) {
  MATCH (a)-[relation]->(:Entity)
  WHERE relation.relation_id = relation_id
  SET relation.strength = relation.strength  // takes the lock
  WITH relation, COLLECT { MATCH (a)<-[v:EVIDENCE {relation_id: relation_id}]-(:Record) RETURN v } AS given
  WITH relation, given, [v IN given WHERE v.known_to IS NULL | v.weight] AS weights
  SET relation.strength = size(weights), relation.confidence = 1 - reduce(doubt = 1.0, weight IN weights | doubt * (1 - weight)),
      relation.known_to = CASE size(weights) WHEN 0 THEN coalesce(relation.known_to, datetime()) END
  WITH relation WHERE size(given) = 0
  WITH relation, [old IN part.rivals(relation) WHERE old.ended_by = relation_id] AS ended
  DELETE relation
  WITH ended
  UNWIND ended AS old
  WITH old, part.ender(old) AS ender
  SET old.enders = part.enders(old), old.until = ender.until, old.ended_by = ender.relation_id
}
RETURN sum(pieces) AS withdrawn
