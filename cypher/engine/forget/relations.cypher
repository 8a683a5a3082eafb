// Purpose: erases what records state of relations, with relations that no other record states or stated; those that others state say of themselves what these
//   say, and what they had ended follows. Relations that name an erased one as their end name it no more. Idempotent.
// Parameters: user_id, records (ids). Returns: counts, by label and type.
CYPHER 25
UNWIND $records AS record_id
MATCH (r:Record {record_id: record_id})
WHERE r.user_id = $user_id
SET r.since = coalesce(r.since, r.known_from)  // takes the lock
WITH r
MATCH (r)-[v:EVIDENCE]->(a:Entity)
WITH a, v, v.relation_id AS relation_id
DELETE v
WITH a, relation_id, count(*) AS pieces
CALL (a, relation_id) {
  MATCH (a)-[relation]->(b:Entity)
  WHERE relation.relation_id = relation_id
  SET relation.strength = relation.strength  // takes the lock
  WITH a, b, relation, part.given_now(relation) AS given, COLLECT {
    MATCH (a)<-[told:EVIDENCE {relation_id: relation_id}]-(line:Record)
    WITH told, coalesce(line.occurred_at, line.since, line.known_from) AS said ORDER BY said, told.known_from
    RETURN {since: told.since, until: told.until, ended: told.ended, said: said, past: told.ended, fact_id: told.fact_id, known_from: told.known_from}
  } AS ever
  CALL (relation, given, ever) {
    WITH relation, given, ever, CASE size(given) WHEN 0 THEN ever ELSE given END AS stated WHERE size(ever) > 0
    WITH relation, given, ever, stated, last(stated) AS newest, COLLECT {  // a fact that is over ended it: of those that are left the last one
      UNWIND ever AS one
      MATCH (f:Fact {fact_id: one.fact_id})
      WHERE relation.ended_with IS NOT NULL AND f.status IN ['superseded', 'invalidated']
      RETURN {fact_id: f.fact_id, until: toString(date(coalesce(f.valid_to, f.invalidated_at)))} AS past
      ORDER BY f.fact_id = relation.ended_with DESC, past.until DESC LIMIT 1
    }[0] AS past
    SET relation.until = CASE WHEN relation.ended_with IS NULL OR past.fact_id = relation.ended_with THEN relation.until ELSE past.until END,
        relation.ended_with = past.fact_id
    SET relation.strength = size(given), relation.confidence = part.confidence(given),
        relation.known_from = reduce(first = ever[0].known_from, one IN ever | CASE WHEN one.known_from < first THEN one.known_from ELSE first END),
        relation.known_to = CASE size(given) WHEN 0 THEN coalesce(relation.known_to, datetime()) END,
        relation.since = part.first_since(stated), relation.last_at = newest.said, relation.enders = part.enders(relation), relation.ended_by = null,
        relation.until = part.own_until(relation, stated)
  }
  CALL (a, b, relation, relation_id, given, ever) {
    WITH a, b, relation, relation_id, given, ever, CASE size(ever) WHEN 0 THEN [a, b] ELSE [] END AS ends
    WITH relation, relation_id, given, ever, COLLECT {  // of one that goes: all that name it
      UNWIND ends AS end
      CALL (end) {
        MATCH (end)-[:SUPERSEDES*0..]-(member:Entity)
        MATCH (member)-[other]->(:Entity)
        RETURN other
        UNION ALL
        UNWIND coalesce(end.paired, []) AS key
        MATCH (paired:Entity {user_id: end.user_id, key: key})
        MATCH (paired)-[other]->(:Entity)
        RETURN other
      }
      WITH DISTINCT other WHERE other.relation_id <> relation_id AND (other.ended_by = relation_id OR relation_id IN other.enders)
      RETURN other
    } AS naming, CASE WHEN size(given) > 0 THEN [old IN part.rivals(relation)
        WHERE old.strength > 0 AND (old.ended_by = relation_id OR old.last_at < relation.last_at AND (old.until IS NULL OR old.ended_by IS NOT NULL)
              AND (relation.functional OR old.enders IS NOT NULL))] ELSE [] END AS rivals
    FOREACH (other IN naming | SET other.enders = nullIf([id IN other.enders WHERE id <> relation_id], []))
    WITH relation, ever, [other IN naming WHERE other.ended_by = relation_id] AS ended,
         rivals + CASE WHEN size(given) > 0 AND relation.until IS NULL THEN [relation] ELSE [] END AS others
    FOREACH (old IN ended | SET old.ended_by = null, old.until = null)
    FOREACH (_ IN CASE size(ever) WHEN 0 THEN [1] ELSE [] END | DELETE relation)
    WITH ended + others AS others
    UNWIND others AS old
    WITH old, part.ender(old) AS ender
    SET old.enders = part.enders(old), old.until = ender.until, old.ended_by = ender.relation_id
  }
  CALL (a, b, ever) {
    WITH a, b, ever WHERE size(ever) = 0 AND a.key IN b.paired
      AND NOT EXISTS { MATCH (a)-[other]->(target:Entity) WHERE other.symmetric AND target.entity_id = b.entity_id }
    SET b.paired = nullIf([key IN b.paired WHERE key <> a.key], [])
  }
  RETURN count(CASE size(ever) WHEN 0 THEN 1 END) AS gone
}
RETURN [['EVIDENCE', coalesce(sum(pieces), 0)], ['RELATION', coalesce(sum(gone), 0)]] AS counts
