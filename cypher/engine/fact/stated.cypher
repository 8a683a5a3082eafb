// Purpose: enters facts that records state, what they are about, and their places in chains; moves the counts of facts of entities; ends
//   relations and intentions with the facts that state them. Idempotent: an older
//   revision of a fact that comes late adds what it is about, if nothing has said so, and changes nothing else.
// Parameters: facts [{record_id, user_id, node_id, commit_id, reader (version of what found the names), stated [{fact_id, revision, item (false: it only
//   confirms another one), caption or null (as before), about [{key (of an entity), primary}] or null (as before), copied (fact whose caption and entities it
//   gets) or null, confirms or null, supersedes or null, doubts [{older, kind}] (pairs that nobody decided), state {…}}]}]. Returns: applied (records).
CYPHER 25
UNWIND $facts AS row
CALL (row) {
  UNWIND row.stated AS one
  CALL (row, one) {
    WITH row, one WHERE one.item OR EXISTS { (:Fact {fact_id: one.fact_id}) }
    MERGE (f:Fact {fact_id: one.fact_id}) ON CREATE SET f.user_id = row.user_id, f.revision = 0
    SET f.user_id = f.user_id  // takes the lock
    WITH row, one, f, f.revision < one.revision AS newer, one.about IS NOT NULL AND coalesce(f.reader, 0) < row.reader AS named
    WHERE f.user_id = row.user_id
    CALL (f) {
      MATCH (f)-[:ABOUT]->(e:Entity)
      WHERE f.status = 'live'
      SET e.fact_count = e.fact_count - 1
    }
    FOREACH (_ IN CASE WHEN newer THEN [1] ELSE [] END |
      SET f.revision = one.revision, f.node_id = row.node_id, f.record_id = row.record_id, f.status = one.state.status,
          f.privacy = one.state.privacy, f.scope = one.state.scope, f.fact_type = one.state.fact_type, f.category = one.state.category,
          f.confirmations = one.state.confirmations, f.stale = one.state.stale,
          f.valid_from = datetime(one.state.valid_from), f.valid_to = datetime(one.state.valid_to), f.holds_until = datetime(one.state.holds_until), f.said_at = datetime(one.state.said_at),
          f.known_from = datetime(one.state.known_from), f.known_to = datetime(one.state.known_to),
          f.invalidated_at = datetime(one.state.invalidated_at), f.last_confirmed_at = datetime(one.state.last_confirmed_at),
          f.caption = coalesce(one.caption, f.caption), f.name = coalesce(one.caption, f.name))  // the text may have been changed by hand
    SET f.caption = coalesce(f.caption, one.caption), f.name = coalesce(f.name, one.caption), f.commit_id = coalesce(f.commit_id, CASE WHEN one.caption IS NOT NULL THEN row.commit_id END)
    CALL (row, one, f, named) {
      WITH row, one, f, named WHERE named
      SET f.reader = row.reader
      WITH row, one, f
      CALL (f) { MATCH (f)-[old:ABOUT]->(:Entity) DELETE old }
      UNWIND one.about AS about
      MATCH (e:Entity {user_id: row.user_id, key: about.key})
      MERGE (f)-[a:ABOUT]->(e)
      SET a.primary = about.primary, e.lone = false
    }
    CALL (one, f) {
      WITH one, f WHERE f.reader IS NULL
      MATCH (like:Fact {fact_id: one.copied})
      WHERE coalesce(like.user_id = f.user_id, false)  // looked up by its id alone
      SET f.caption = coalesce(f.caption, like.caption), f.name = coalesce(f.name, like.caption), f.reader = like.reader
      WITH f, like
      MATCH (like)-[said:ABOUT]->(e:Entity)
      MERGE (f)-[a:ABOUT]->(e)
      SET a.primary = said.primary, e.lone = false
    }
    CALL (f) {
      MATCH (f)-[:ABOUT]->(e:Entity)
      WHERE f.status = 'live'
      SET e.fact_count = coalesce(e.fact_count, 0) + 1
    }
    CALL (row, one, f, newer) {
      WITH row, one, f WHERE newer
      CALL (one, f) {
        MATCH (f)-[old:SUPERSEDES|CONTRADICTS|MAY_REPLACE]->(other:Fact)
        WHERE CASE type(old) WHEN 'SUPERSEDES' THEN other.fact_id <> coalesce(one.supersedes, '')
              ELSE none(d IN coalesce(one.doubts, []) WHERE d.older = other.fact_id AND d.kind = CASE type(old) WHEN 'CONTRADICTS' THEN 'contradicts' ELSE 'maybe' END) END
        DELETE old
      }
      CALL (row, one, f) {
        WITH row, one, f WHERE one.supersedes IS NOT NULL
        MERGE (other:Fact {fact_id: one.supersedes}) ON CREATE SET other.user_id = row.user_id, other.revision = 0
        WITH f, other WHERE other.user_id = f.user_id
        MERGE (f)-[:SUPERSEDES]->(other)
      }
      CALL (row, one, f) {
        UNWIND coalesce(one.doubts, []) AS doubt
        MERGE (other:Fact {fact_id: doubt.older}) ON CREATE SET other.user_id = row.user_id, other.revision = 0
        WITH f, other, doubt WHERE other.user_id = f.user_id
        FOREACH (_ IN CASE doubt.kind WHEN 'contradicts' THEN [1] ELSE [] END | MERGE (f)-[:CONTRADICTS]->(other))
        FOREACH (_ IN CASE doubt.kind WHEN 'maybe' THEN [1] ELSE [] END | MERGE (f)-[:MAY_REPLACE]->(other))
      }
    }
  }
}
WITH collect(row) AS rows  // facts that others confirm are there now
UNWIND rows AS row
OPTIONAL MATCH (r:Record {record_id: row.record_id})
WHERE r.user_id = row.user_id
CALL (row, r) {
  UNWIND row.stated AS one
  CALL (row, r, one) {
    WITH row, r, one WHERE r IS NOT NULL AND (one.confirms IS NOT NULL OR one.item AND one.state.status <> 'confirmation')
    MERGE (f:Fact {fact_id: coalesce(one.confirms, one.fact_id)}) ON CREATE SET f.user_id = row.user_id, f.revision = 0
    WITH row, r, one, f WHERE f.user_id = row.user_id
    MERGE (r)-[s:STATES {fact_id: one.fact_id}]->(f)
      ON CREATE SET s.revision = 0
    FOREACH (_ IN CASE WHEN s.revision < one.revision THEN [1] ELSE [] END | SET s.revision = one.revision, s.known_to = null)
  }
  CALL (row, r, one) {  // what it confirmed, or was, before
    MATCH (r)-[s:STATES {fact_id: one.fact_id}]->(f:Fact)
    WHERE s.revision < one.revision AND s.known_to IS NULL AND f.fact_id <> coalesce(one.confirms, CASE WHEN one.item THEN one.fact_id END, '')
    SET s.revision = one.revision, s.known_to = datetime(coalesce(one.state.invalidated_at, one.state.known_from))
  }
}
WITH count(DISTINCT row.record_id) AS records, collect(row) AS rows
CALL (rows) {  // relations that facts state: without its fact evidence ends, a relation that only facts of the past state is over
  UNWIND rows AS row
  UNWIND row.stated AS one
  MATCH (f:Fact {fact_id: one.fact_id, revision: one.revision})<-[:STATES]-(r:Record)-[v:EVIDENCE {fact_id: one.fact_id}]->(a:Entity)
  WHERE r.user_id = row.user_id
  WITH f, v, a, f.status = 'withdrawn' AND v.known_to IS NULL AND v.item_id = f.fact_id AND r.record_id = f.record_id AS ends,
       coalesce(f.status <> 'withdrawn' AND v.withdrawn_with = f.fact_id, false) AS returns
  FOREACH (_ IN CASE WHEN ends THEN [1] ELSE [] END | SET v.known_to = coalesce(f.invalidated_at, f.known_from), v.withdrawn_with = f.fact_id)
  FOREACH (_ IN CASE WHEN returns THEN [1] ELSE [] END | SET v.known_to = null, v.withdrawn_with = null)
  WITH f, a, v.relation_id AS relation_id, true IN collect(ends OR returns) AS moved
  MATCH (a)-[relation]->(:Entity)
  WHERE relation.relation_id = relation_id
  SET relation.strength = relation.strength  // takes the lock
  WITH f, relation, part.given_now(relation) AS given, moved, f.status = 'live' AND relation.ended_with = f.fact_id AS revived
  SET relation.strength = size(given), relation.confidence = part.confidence(given),
      relation.known_to = CASE size(given) WHEN 0 THEN coalesce(relation.known_to, f.invalidated_at, f.known_from) END
  FOREACH (_ IN CASE WHEN f.status IN ['superseded', 'invalidated'] AND relation.until IS NULL AND all(one IN given WHERE one.past) THEN [1] ELSE [] END |
    SET relation.until = toString(date(coalesce(f.valid_to, f.invalidated_at))), relation.ended_with = f.fact_id)
  FOREACH (_ IN CASE WHEN revived THEN [1] ELSE [] END | SET relation.until = CASE WHEN relation.ended_by IS NOT NULL THEN relation.until END, relation.ended_with = null)
  CALL (relation, given, moved, revived) {  // as when a record is withdrawn: the others say since when and until when, and what it had ended holds until the next one
    WITH relation, given, last(given) AS newest WHERE moved OR revived
    FOREACH (_ IN CASE WHEN newest IS NULL THEN [] ELSE [1] END |
      SET relation.since = part.first_since(given),
          relation.last_at = newest.said, relation.enders = part.enders(relation), relation.ended_by = null,
          relation.until = part.own_until(relation, given))
    WITH relation, newest
    UNWIND CASE WHEN newest IS NOT NULL AND relation.until IS NULL THEN [relation] ELSE [] END + [old IN part.rivals(relation)
            WHERE old.strength > 0 AND (old.ended_by = relation.relation_id OR old.last_at < relation.last_at AND (old.until IS NULL OR old.ended_by IS NOT NULL)
                  AND (relation.functional OR old.enders IS NOT NULL))] AS old
    WITH old, part.ender(old) AS ender
    SET old.enders = part.enders(old), old.until = ender.until, old.ended_by = ender.relation_id
    RETURN count(*) AS others
  }
  RETURN count(*) AS followed
}
CALL (rows) {  // an intention ends with the fact that states it, and comes back with it
  UNWIND rows AS row
  UNWIND row.stated AS one
  MATCH (f:Fact {fact_id: one.fact_id, revision: one.revision})
  MATCH (r:Record {record_id: f.record_id})-[i:INTENDS]->(:Entity)
  WHERE r.user_id = row.user_id AND i.item_id = f.fact_id
  FOREACH (_ IN CASE WHEN f.status IN ['withdrawn', 'superseded', 'invalidated'] AND i.known_to IS NULL THEN [1] ELSE [] END |
    SET i.known_to = coalesce(f.invalidated_at, f.known_from), i.ended_with = f.fact_id)
  FOREACH (_ IN CASE WHEN f.status = 'live' AND i.ended_with = f.fact_id THEN [1] ELSE [] END | SET i.known_to = null, i.ended_with = null)
}
RETURN records AS applied
