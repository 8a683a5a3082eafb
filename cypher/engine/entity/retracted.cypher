// Purpose: ends what a record mentions and states, because it was withdrawn; or lets it hold again. Relations lose strength, or end; one that ended lets those
//   hold again that it had ended, until the next one of its sort. Idempotent: an older revision that comes late changes nothing.
// Parameters: retraction {record_id, user_id, node_id, revision, at, undone}. Returns: record_id; no row when the manifest lacks it.
CYPHER 25
MATCH (r:Record {record_id: $retraction.record_id})
WHERE r.user_id = $retraction.user_id
SET r.since = coalesce(r.since, r.known_from)  // takes the lock
WITH r, coalesce(r.retraction_seen, 0) < $retraction.revision AS newer, datetime($retraction.at) AS at
CALL (r, newer, at) {
  MATCH (r)-[m:MENTIONS]->(e:Entity)
  WHERE newer AND CASE WHEN $retraction.undone THEN m.retracted ELSE m.known_to IS NULL END
  WITH r, m, e, CASE WHEN $retraction.undone THEN 1 ELSE -1 END AS one, at
  SET e.mentions = e.mentions + one, m.known_to = CASE WHEN $retraction.undone THEN null ELSE at END,
      m.retracted = CASE WHEN $retraction.undone THEN null ELSE true END
  WITH r, e, one, at
  MATCH (r)<-[:HOLDS]-(n:Node)
  SET e.places = part.counted(e, n, one)
  WITH DISTINCT e, at
  CALL (e) { part.anchored(e) }
  WITH e, at, part.last_mention(e) AS last
  SET e.last_context = CASE WHEN last.record_id = e.last_record_id THEN coalesce(last.context, e.last_context) ELSE last.context END
  SET e.last_record_id = last.record_id, e.last_mentioned_at = coalesce(last.at, e.last_mentioned_at)
  WITH e, at
  CALL (e, at) { part.renamed_by_records(e, at) }
  RETURN count(*) AS mentioned
}
CALL (r, newer, at) {
  MATCH (r)-[v:EVIDENCE]->(a:Entity)
  WHERE newer AND CASE WHEN $retraction.undone THEN v.retracted ELSE v.known_to IS NULL END
  SET v.known_to = CASE WHEN $retraction.undone THEN null ELSE at END, v.retracted = CASE WHEN $retraction.undone THEN null ELSE true END
  WITH DISTINCT a, v.relation_id AS relation_id, at
  MATCH (a)-[relation]->(:Entity)
  WHERE relation.relation_id = relation_id
  SET relation.strength = relation.strength  // takes the lock
  WITH relation, relation_id, at, part.given_now(relation) AS given
  WITH relation, relation_id, given, at, last(given) AS newest
  SET relation.strength = size(given), relation.confidence = part.confidence(given),
      relation.known_to = CASE size(given) WHEN 0 THEN at END
  FOREACH (_ IN CASE WHEN newest IS NULL THEN [] ELSE [1] END |
    SET relation.since = part.first_since(given),
        relation.last_at = newest.said, relation.enders = part.enders(relation), relation.ended_by = null,
        relation.until = part.own_until(relation, given))
  CALL (relation, relation_id, newest) {  // what it had ended holds until the next one; what it ends again is over
    UNWIND CASE WHEN newest IS NOT NULL AND relation.until IS NULL THEN [relation] ELSE [] END + [old IN part.rivals(relation)
            WHERE old.strength > 0 AND (old.ended_by = relation_id OR old.last_at < relation.last_at AND (old.until IS NULL OR old.ended_by IS NOT NULL)
                  AND (relation.functional OR old.enders IS NOT NULL OR old.relation_id IN coalesce(relation.held, [])))] AS old
    WITH old, part.ender(old) AS ender
    SET old.enders = part.enders(old), old.until = ender.until, old.ended_by = ender.relation_id
    RETURN count(*) AS others
  }
  SET relation.held = null  // kept by an older release
  RETURN count(*) AS stated
}
SET r.mentions = CASE WHEN newer THEN COUNT { (r)-[m:MENTIONS]->(:Entity) WHERE m.known_to IS NULL } ELSE r.mentions END,
    r.mentions_revision = CASE WHEN newer THEN $retraction.revision ELSE r.mentions_revision END,
    r.relations_revision = CASE WHEN newer THEN $retraction.revision ELSE r.relations_revision END,
    r.retraction_seen = CASE WHEN newer THEN $retraction.revision ELSE r.retraction_seen END
RETURN r.record_id AS record_id
