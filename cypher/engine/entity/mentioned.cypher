// Purpose: enters what records mention: entities that are new, their names, mentions, and the counts at nodes. Idempotent. A name belongs to the
//   entity that had it first; an entity is found by its key, so writers that meet make one. What the user corrected of an entity stays.
// Parameters: mentions [{record_id, user_id, node_id, commit_id, revision (the whole of what the record mentions then: what it no longer does
//   ends; an older one that comes late changes nothing) or null (further ones), reader (version of what found it), rewordings (changes of the record's texts
//   by hand that were known then, 0 for who knows of none: where the graph knows others, the record stays unread; what such a reading ends is marked), known_from, at, entities [{key, entity_id, name, name_key, kind, label,
//   role, names, spans, count, context, aliases [{type, key, value, verified}],
//   reviews [{key (of an entity that may be the same), score, reason}], intentions [{text, item_id, span, due}] (or none)}],
//   facts [{fact_id, about [{key, primary}]}] (or none: facts of the record whose texts may be others now)}].
// Returns: applied (records that are there).
CYPHER 25
UNWIND range(0, size($mentions) - 1) AS place
WITH place, $mentions[place] AS row
MATCH (r:Record {record_id: row.record_id})
WHERE r.user_id = row.user_id
WITH place, row, r ORDER BY row.record_id
SET r.since = coalesce(r.since, r.known_from)  // takes the lock: a withdrawal meanwhile would end the same mentions, and each would count them
WITH place, row, r ORDER BY place  // whose a name is that two have does not depend on the ids of records
MATCH (n:Node {user_id: row.user_id})-[:HOLDS]->(r)
WITH row, n, r, datetime(row.known_from) AS known_from, datetime(row.at) AS at,
     coalesce([row.revision, row.reader] > [coalesce(r.mentions_revision, 0), coalesce(r.mentions_reader, 0)], false) AS newer
CALL (n, r, row, known_from, newer) {
  MATCH (r)-[m:MENTIONS]->(e:Entity)
  WHERE newer AND m.known_to IS NULL
    AND none(one IN row.entities WHERE one.key = e.key AND one.role = m.role AND one.names = m.names AND one.spans = m.spans
             AND (NOT coalesce(row.rewordings > 0, false) OR one.context = m.context))
  SET m.known_to = known_from, e.mentions = e.mentions - 1, m.reworded = CASE WHEN row.rewordings > 0 THEN true END
  SET e.places = part.counted(e, n, -1)
  WITH DISTINCT row, e
  CALL (e) { part.anchored(e) }
  RETURN collect(e) AS left
}
CALL (r, row, known_from, newer) {
  MATCH (r)-[i:INTENDS]->(e:Entity)
  WHERE newer AND i.known_to IS NULL AND none(one IN row.entities WHERE one.key = e.key AND any(said IN coalesce(one.intentions, []) WHERE said.text = i.text))
  SET i.known_to = known_from
}
CALL (n, r, row, known_from, at, newer) {
  UNWIND CASE WHEN newer OR row.revision IS NULL THEN row.entities ELSE [] END AS one
  MERGE (e:Entity {user_id: row.user_id, key: one.key})
    ON CREATE SET e:$(one.label), e.entity_id = one.entity_id, e.name = one.name, e.name_key = one.name_key, e.kind = one.kind, e.active = true,
                  e.mentions = 0, e.created_at = known_from, e.known_from = known_from,
                  e.lone = coalesce(r.content_type <> 'conversation', false) AND all(span IN one.spans WHERE left(span, 36) = left(one.spans[0], 36))
  FOREACH (_ IN CASE WHEN size(one.name) > size(e.name) AND e.renamed IS NULL THEN [1] ELSE [] END | SET e.name = one.name, e.name_key = one.name_key)
  FOREACH (_ IN CASE WHEN e.kind = 'thing' AND one.kind <> 'thing' AND e.rekinded IS NULL THEN [1] ELSE [] END |
    REMOVE e:$([label IN labels(e) WHERE label <> 'Entity']) SET e:$(one.label), e.kind = one.kind)
  SET e.last_mentioned_at = CASE WHEN e.last_mentioned_at > at THEN e.last_mentioned_at ELSE at END
  CALL (e, one, row, known_from) {
    UNWIND one.aliases AS alias
    MERGE (a:Alias {user_id: row.user_id, type: alias.type, key: alias.key})
      ON CREATE SET a.user_key = replace(row.user_id, '-', ''), a.value = alias.value, a.name = alias.value, a.verified = alias.verified, a.known_from = known_from
    WITH a, e, alias, row, known_from WHERE NOT EXISTS { (a)-[:NAMES]->(:Entity) } AND NOT e.entity_id IN coalesce(a.not_of, [])
    CREATE (a)-[:NAMES]->(e)
    SET a.user_key = replace(row.user_id, '-', ''), a.value = coalesce(a.value, alias.value), a.name = coalesce(a.name, alias.value),
        a.known_from = coalesce(a.known_from, known_from), a.withdrawn = null  // it may only have been taken away so far
    RETURN count(*) AS named
  }
  CALL (e, r, one, row, known_from) {
    UNWIND coalesce(one.intentions, []) AS said
    MERGE (r)-[i:INTENDS {text: said.text}]->(e)
      ON CREATE SET i.intention_id = randomUUID(), i.user_id = row.user_id, i.name = said.text, i.state = 'open', i.commit_id = row.commit_id,
                    i.known_from = known_from
    SET i.item_id = said.item_id, i.span = said.span, i.due = said.due, i.known_to = CASE WHEN i.ended_with IS NULL THEN null ELSE i.known_to END
  }
  WITH n, r, row, one, e
  WHERE NOT EXISTS { (r)-[m:MENTIONS {role: one.role}]->(e) WHERE m.known_to IS NULL }
  SET e.lone = coalesce(e.lone, false) AND NOT EXISTS { (:Record)-[:MENTIONS]->(e) }
  WITH n, r, row, one, e, CASE WHEN e.rekinded IS NOT NULL AND one.kind = e.kind THEN e.kinds_before[0] ELSE one.kind END AS kind  // not what the user corrected
  CREATE (r)-[:MENTIONS {role: one.role, kind: kind, names: one.names, spans: one.spans, count: one.count, context: one.context,
                         commit_id: row.commit_id, known_from: known_from}]->(e)
  SET e.mentions = e.mentions + 1, e.places = part.counted(e, n, 1)
  FOREACH (_ IN CASE WHEN e.last_mentioned_at > at THEN [] ELSE [1] END |
    SET e.last_context = one.context, e.last_record_id = row.record_id)
  CALL (e) { part.anchored(e) }
  RETURN count(*) AS entered, collect(CASE WHEN e.name_key IS NULL THEN e END) AS unnamed  // no record called them by a name so far
}
SET r.mentions_revision = CASE WHEN newer THEN row.revision ELSE r.mentions_revision END,
    r.mentions_reader = CASE WHEN newer AND coalesce(row.rewordings, 0) <> coalesce(r.rewordings, 0) THEN 0 WHEN newer THEN row.reader
                             ELSE r.mentions_reader END,
    r.mentions = CASE WHEN newer THEN size(row.entities) WHEN row.revision IS NULL THEN coalesce(r.mentions, 0) + entered ELSE r.mentions END
WITH r, row, left, unnamed, newer
CALL (r, row, newer) {  // whom facts are about whose texts may be others now
  UNWIND CASE WHEN newer THEN coalesce(row.facts, []) ELSE [] END AS one
  MATCH (f:Fact {fact_id: one.fact_id})
  WHERE f.user_id = row.user_id AND f.record_id = row.record_id
  SET f.user_id = f.user_id, f.reader = row.reader  // takes the lock
  WITH row, one, f
  CALL (f) {
    MATCH (f)-[old:ABOUT]->(e:Entity)
    SET e.fact_count = coalesce(e.fact_count, 0) - CASE f.status WHEN 'live' THEN 1 ELSE 0 END
    DELETE old
  }
  UNWIND one.about AS about
  MATCH (e:Entity {user_id: row.user_id, key: about.key})
  MERGE (f)-[a:ABOUT]->(e)
  SET a.primary = about.primary, e.lone = false, e.fact_count = coalesce(e.fact_count, 0) + CASE f.status WHEN 'live' THEN 1 ELSE 0 END
}
WITH row, left, unnamed
CALL (row, left) {  // the last mention may have been one that its text no longer has
  UNWIND left AS e
  WITH row, e WHERE row.rewordings > 0 AND e.last_record_id = row.record_id
  WITH e, part.last_mention(e) AS last
  SET e.last_context = last.context, e.last_record_id = last.record_id, e.last_mentioned_at = coalesce(last.at, e.last_mentioned_at)
}
CALL (row, left, unnamed) {
  UNWIND left + unnamed AS e
  WITH DISTINCT e, datetime(row.known_from) AS at
  CALL (e, at) { part.renamed_by_records(e, at) }
}
WITH collect(DISTINCT row.record_id) AS records, collect(row) AS rows
CALL (rows) {
  UNWIND rows AS row
  UNWIND row.entities AS one
  UNWIND one.reviews AS review
  MATCH (e:Entity {user_id: row.user_id, key: one.key}), (other:Entity {user_id: row.user_id, key: review.key})
  WHERE e <> other AND NOT EXISTS { (e)-[:POSSIBLY_SAME]-(other) }
  MERGE (e)-[p:POSSIBLY_SAME]->(other) ON CREATE SET p.pair_id = randomUUID(), p.score = review.score, p.reason = review.reason,
    p.source = row.record_id, p.known_from = datetime(row.known_from)
  RETURN count(*) AS reviewed
}
RETURN size(records) AS applied
