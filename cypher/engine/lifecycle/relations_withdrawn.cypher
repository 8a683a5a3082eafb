// Purpose: takes away what a discarded commit may have entered as evidence of relations, with relations that nothing else states or stated; those that are
//   stated by others, too, and what they had ended, follow from what is left. Operator only. Idempotent.
// Parameters: relations [{record_id, commit_id, user_id}]. Returns: withdrawn (pieces of evidence).
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
  WITH relation, EXISTS { (a)<-[:EVIDENCE {relation_id: relation_id}]-(:Record) } AS kept, part.given_now(relation) AS given,
       [old IN part.rivals(relation) WHERE old.ended_by = relation_id] AS ended
  WITH relation, kept, given, ended, last(given) AS newest
  SET relation.strength = size(given), relation.confidence = part.confidence(given),
      relation.known_to = CASE size(given) WHEN 0 THEN coalesce(relation.known_to, datetime()) END
  FOREACH (_ IN CASE WHEN newest IS NULL THEN [] ELSE [1] END |
    SET relation.since = part.first_since(given),
        relation.last_at = newest.said, relation.enders = part.enders(relation), relation.ended_by = null,
        relation.until = part.own_until(relation, given))
  WITH relation, kept, ended + CASE WHEN newest IS NOT NULL AND relation.until IS NULL THEN [relation] ELSE [] END AS others
  FOREACH (_ IN CASE WHEN kept THEN [] ELSE [1] END | DELETE relation)
  WITH others
  UNWIND others AS old
  WITH old, part.ender(old) AS ender
  SET old.enders = part.enders(old), old.until = ender.until, old.ended_by = ender.relation_id
}
RETURN sum(pieces) AS withdrawn
