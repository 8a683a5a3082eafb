// Purpose: erases what records mention: entities are called as the others call them, one that nothing mentions any more goes with its merges. Of those that
//   stay no state of before keeps a name that only these records used; communities that one is in go. Aliases are seen to next. Idempotent.
// Parameters: user_id, records (ids). Returns: counts, by label and type.
CYPHER 25
UNWIND $records AS record_id
MATCH (r:Record {record_id: record_id})
WHERE r.user_id = $user_id
SET r.since = coalesce(r.since, r.known_from)  // takes the lock
WITH collect(r) AS lines, datetime() AS at
CALL (lines, at) {  // as a withdrawal ends them, where none has
  UNWIND lines AS r
  MATCH (r)-[m:MENTIONS]->(e:Entity)
  WHERE m.known_to IS NULL
  SET m.known_to = at, e.mentions = e.mentions - 1
  WITH r, e
  MATCH (r)<-[:HOLDS]-(n:Node)
  SET e.places = part.counted(e, n, -1)
  WITH DISTINCT e
  CALL (e) { part.anchored(e) }
}
CALL (lines, at) {
  UNWIND lines AS r
  MATCH (r)-[:MENTIONS]->(e:Entity)
  WITH DISTINCT e, at
  CALL (e, at) { part.renamed_by_records(e, at) }
}
CALL (lines) {
  UNWIND lines AS r
  MATCH (r)-[m:MENTIONS]->(e:Entity)
  WITH e, m, m.names AS names
  DELETE m
  WITH e, count(*) AS pieces, collect(names) AS names
  RETURN sum(pieces) AS mentioned, collect({entity: e, names: reduce(all = [], some IN names | all + [one IN some WHERE NOT one IN all])}) AS touched
}
CALL (touched) {
  UNWIND touched AS one
  WITH one.entity AS e
  MATCH (e)-[:SUPERSEDES*0..]-(:Entity)-[:IN_COMMUNITY]->(c:Community)
  WITH DISTINCT c
  DETACH DELETE c
  RETURN count(*) AS communities
}
CALL (touched) {  // also those of others may have their names
  UNWIND touched AS one
  WITH one.entity AS e, one.names AS names
  MATCH (e)-[:SUPERSEDES*0..]-(member:Entity)
  WITH DISTINCT e, names, member
  SET member.summary = null, member.summary_of = null
  WITH e, names, member, part.used(e) AS used
  WHERE size(used) = 0 OR any(key IN names WHERE NOT key IN used)
  MATCH (member)-[relation]-(:Entity)<-[:SUPERSEDES*0..]-(other:Entity)
  WHERE relation.relation_id IS NOT NULL AND other.summary IS NOT NULL
  SET other.summary = null, other.summary_of = null
}
CALL (touched) {
  UNWIND touched AS one
  WITH one.entity AS e
  MATCH (e)-[pair:POSSIBLY_SAME]-(:Entity)
  WHERE pair.source IN $records
  WITH DISTINCT pair
  DELETE pair
  RETURN count(*) AS pairs
}
CALL (touched) {
  UNWIND touched AS one
  WITH one.entity AS e, one.names AS names
  WHERE EXISTS { (e)<-[:MENTIONS]-(:Record) }
  CALL (e) {
    WITH e, part.last_mention(e) AS last, COLLECT {
      MATCH (e)<-[m:MENTIONS]-(line:Record)
      RETURN {since: m.known_from, at: coalesce(line.occurred_at, line.since, line.known_from), alone: line.content_type <> 'conversation'
              AND all(span IN m.spans WHERE left(span, 36) = left(m.spans[0], 36))} ORDER BY m.known_from
    } AS said
    SET e.last_context = last.context, e.last_record_id = last.record_id,
        e.last_mentioned_at = coalesce(last.at, reduce(newest = said[0].at, one IN said | CASE WHEN one.at > newest THEN one.at ELSE newest END)),
        e.known_from = CASE WHEN e.known_from < said[0].since THEN said[0].since ELSE e.known_from END,
        e.created_at = CASE WHEN e.created_at < said[0].since THEN said[0].since ELSE e.created_at END,
        e.lone = size(said) = 1 AND coalesce(said[0].alone, false) AND coalesce(e.renamed, e.rekinded, e.given_at) IS NULL
          AND NOT EXISTS { (e)-[:SUPERSEDES]-(:Entity) } AND NOT EXISTS { (e)<-[:ABOUT|IS_ABOUT]-() }
          AND NOT EXISTS { (alias:Alias)-[:NAMES]->(e) WHERE alias.verified }
          AND NOT EXISTS { (e)-[relation]-(:Entity) WHERE relation.relation_id IS NOT NULL }
  }
  CALL (e, names) { part.unnamed(e, names) }
}
CALL (touched) {
  UNWIND touched AS one
  WITH one.entity AS e, one.names AS names
  WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Record) }
  CALL (e, names) { part.unnamed(e, names) }
  RETURN collect(e) AS gone
}
CALL (gone) {  // what was one by them is apart now, and relations of one no longer end those of the other
  UNWIND gone AS e
  MATCH (e)-[:SUPERSEDES]-(other:Entity)
  WHERE NOT other IN gone
  RETURN collect(DISTINCT other) AS apart
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)<-[:NAMES]-(a:Alias)
  SET a.verified = false, a.decided_at = null
  WITH DISTINCT a WHERE a.type <> 'name'
  DETACH DELETE a
  RETURN count(*) AS addresses
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[link]-()
  WITH DISTINCT link, CASE WHEN startNode(link):Entity AND endNode(link):Entity AND link.relation_id IS NOT NULL THEN 'RELATION' ELSE type(link) END AS kind
  DELETE link
  WITH kind, count(*) AS links
  RETURN collect([kind, links]) AS links
}
FOREACH (e IN gone | DELETE e)
WITH communities, pairs, mentioned, size(gone) AS entities, apart, addresses, links
CALL (apart) {
  UNWIND apart AS other
  SET other.active = NOT EXISTS { (:Entity)-[one:SUPERSEDES]->(other) WHERE one.known_to IS NULL }
  WITH other
  CALL (other) {
    WITH part.whole(other) AS members
    UNWIND part.moved_ends(members) AS one
    WITH one.relation AS relation, one.ender AS ender
    SET relation.enders = part.enders(relation), relation.until = ender.until, relation.ended_by = ender.relation_id
  }
  CALL (other) {
    WITH other, datetime() AS at WHERE other.name_key IS NULL
    part.renamed_by_records(other, at)
  }
}
RETURN links + [['MENTIONS', mentioned], ['Entity', entities], ['Alias', addresses], ['Community', communities], ['POSSIBLY_SAME', pairs]] AS counts
