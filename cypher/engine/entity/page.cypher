// Purpose: the entities of a graph, one page, those with most mentions first; merged ones as one. Readers other than the user meet those that a record
//   mentions which they may read, under the names that such records use, with the number of such records. What a single passage of a document mentions, of those that
//   may be read, is passed over, where no fact and no relation speaks of it and the user decided nothing of it.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), kinds (of entities; an empty text: all), name (normal form that one of its names begins with, or an empty text), before (mentions,
//   entity_id of the last one before them; of the first page the largest number and an empty text), limit, most (entities that are looked at: those with
//   the highest kept counts, which are at least as high as what is counted here), marks (of entities that are looked at: false, and true for those
//   that are `lone`; without these they are counted as the kept counts say), kept (whether the user asks
//   for the present: then counts are taken from the graph's own ones, names from those that lead to an entity), everything (nothing is passed over; so it is with a name).
// Returns: entities [{entity_id, name, kind, names, mentions, last_mentioned_at, nodes (how many), fact_count (live ones about it), importance and
//   summary (of the user only)}], left_out (how many were passed over up to the end of the page; null: this may not be the whole page): one row.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
CALL () {
  UNWIND $marks AS mark
  CALL (mark) {
    MATCH (e:Entity)
    USING INDEX SEEK e:Entity(user_id, lone, mentions, entity_id)  // in its order; the counts of a store may speak for another one
    WHERE e.user_id = $user_id AND e.lone = mark AND e.mentions >= 0 AND e.entity_id IS NOT NULL AND ('' IN $kinds OR e.kind IN $kinds OR e.rekinded IS NOT NULL OR $principal <> $user_id)
    WITH e ORDER BY e.user_id DESC, e.lone DESC, e.mentions DESC LIMIT $most  // as an index has them
    RETURN e
  }
  WITH e ORDER BY e.mentions DESC LIMIT $most
  RETURN collect(e) AS most_mentioned
}
WITH as_of, rights, most_mentioned, CASE WHEN size(most_mentioned) < $most THEN -1 ELSE most_mentioned[-1].mentions END AS beyond
CALL (beyond) {
  UNWIND $marks AS mark
  CALL (beyond, mark) {
    MATCH (e:Entity)
    USING INDEX SEEK e:Entity(user_id, lone, mentions, entity_id)
    WHERE e.user_id = $user_id AND e.lone = mark AND e.mentions = beyond AND e.entity_id IS NOT NULL AND ('' IN $kinds OR e.kind IN $kinds OR e.rekinded IS NOT NULL OR $principal <> $user_id)
    WITH e ORDER BY e.user_id, e.lone, e.mentions, e.entity_id LIMIT $most
    RETURN e
  }
  WITH e ORDER BY e.user_id, e.lone, e.mentions, e.entity_id LIMIT $most
  RETURN collect(e) AS as_often
}
CALL () {
  MATCH (part_of:Entity)<-[:SUPERSEDES*1..]-(e:Entity)  // what it says of itself is not the count of all that it is read for
  USING INDEX SEEK part_of:Entity(user_id, active)  // else all entities are looked at
  WHERE part_of.user_id = $user_id AND part_of.active = false
  RETURN collect(DISTINCT e) AS merged
}
CALL (as_of) {  // records that hold no more: the graph keeps what they mention counted
  MATCH (n:Node)-[:HOLDS]->(r:Record)
  WHERE $principal = $user_id AND $kept AND $name = '' AND n.user_id = $user_id AND n.name_key IS NOT NULL AND NOT part.holds(r)
  MATCH (r)-[m:MENTIONS]->(e:Entity)
  WHERE m.known_to IS NULL
  WITH e, count(DISTINCT r) AS records
  RETURN collect({e: e, records: records}) AS over
}
WITH as_of, rights, over, beyond, most_mentioned + as_often + merged AS looked_at, CASE WHEN size(as_often) < $most THEN '~' ELSE as_often[-1].entity_id END AS last_id
UNWIND looked_at + [null] AS e  // so that a row stays where none does
WITH DISTINCT as_of, rights, over, beyond, last_id, e
WHERE e IS NULL OR part.holds(e) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
  AND (NOT $kept OR $name = '' OR e.name_key STARTS WITH $name OR e.name_key CONTAINS ' ' + $name OR EXISTS {
    MATCH (e)-[:SUPERSEDES*0..]->(:Entity)<-[:NAMES]-(a:Alias)  // by the names that lead to it, before its mentions are counted
    WHERE a.key STARTS WITH $name OR a.key CONTAINS ' ' + $name })
CALL (e, as_of, rights, over) {
  WITH e, as_of, rights WHERE NOT $kept OR $name <> '' OR EXISTS { (e)-[:SUPERSEDES]->(:Entity) }
  OPTIONAL MATCH (e)-[merges:SUPERSEDES*0..]->(member:Entity)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
  WHERE all(merge IN merges WHERE part.holds(merge)) AND part.holds(m) AND part.shown(r) AND part.opened(n, 'records')
  WITH e, count(DISTINCT r) AS mentions, count(DISTINCT n) AS nodes, max(coalesce(r.occurred_at, r.known_from)) AS last_mentioned_at, head(collect(r)) AS r,
       collect(DISTINCT m.names) + collect(DISTINCT part.given(member)) AS used, collect(m.kind) AS kinds, collect(DISTINCT member) AS members
  RETURN part.seen_as(e, members) AS id, mentions, nodes, last_mentioned_at, r, used, kinds
  UNION ALL
  WITH e, as_of, over WHERE $principal = $user_id AND $kept AND $name = '' AND NOT EXISTS { (e)-[:SUPERSEDES]->(:Entity) }
  RETURN e.entity_id AS id, COUNT { MATCH (e)<-[m:MENTIONS]-(line:Record) WHERE m.known_to IS NULL RETURN DISTINCT line }
           - coalesce(head([one IN over WHERE one.e = e | one.records]), 0) AS mentions,
         size(coalesce(e.places, [])) AS nodes, e.last_mentioned_at AS last_mentioned_at,
         head(COLLECT { MATCH (e)<-[m:MENTIONS]-(line:Record) WHERE m.known_to IS NULL AND part.holds(line) RETURN line LIMIT 1 }) AS r,
         [COLLECT { MATCH (e)<-[:NAMES]-(a:Alias) WHERE a.type = 'name' RETURN a.key }] AS used, [] AS kinds
}
WITH as_of, rights, beyond, last_id, e, id, mentions, nodes, last_mentioned_at, r, reduce(keys = [], one IN used | keys + one) AS keys,
     CASE WHEN $principal = $user_id THEN part.kind_then(e) ELSE part.kind_told(kinds) END AS kind_seen
WHERE e IS NULL OR mentions > 0 AND ('' IN $kinds OR kind_seen IN $kinds) AND (mentions < $before[0] OR mentions = $before[0] AND id > $before[1])
  AND ($name = '' OR any(key IN keys WHERE key STARTS WITH $name OR key CONTAINS ' ' + $name))
WITH as_of, rights, beyond, last_id, e, id, mentions, nodes, last_mentioned_at, keys, kind_seen,
     CASE WHEN e IS NULL THEN null
          WHEN $everything OR $name <> '' OR mentions > 1 OR r.content_type = 'conversation' THEN false
          WHEN e.lone THEN true  // then no other record ever mentioned it, and nothing else speaks of it
          ELSE part.alone(e, r) END AS alone
ORDER BY mentions DESC, id
WITH as_of, rights, beyond, last_id, collect(CASE WHEN alone THEN id END) AS passed_over,
     collect(CASE WHEN NOT alone THEN {e: e, id: id, mentions: mentions, nodes: nodes, at: last_mentioned_at, keys: keys, kind: kind_seen} END)[..$limit] AS page
WITH as_of, rights, beyond, last_id, page, passed_over, page[-1] AS last
WITH as_of, rights, CASE WHEN beyond < 0 OR size(page) = $limit AND (last.mentions > beyond OR last.mentions = beyond AND last.id <= last_id) THEN page END AS page, passed_over,
     CASE WHEN size(page) < $limit THEN '~' WHEN last.mentions > 1 THEN '' ELSE last.id END AS end
WITH as_of, rights, page, size([id IN passed_over WHERE id < end]) + COUNT {
  MATCH (e:Entity)
  USING INDEX SEEK e:Entity(user_id, lone, mentions, entity_id)  // counted by the index alone
  WHERE NOT true IN $marks AND e.user_id = $user_id AND e.lone = true AND e.mentions = 1 AND ('' IN $kinds OR e.kind IN $kinds)
    AND e.entity_id > CASE WHEN $before[0] > 1 THEN '' ELSE $before[1] END AND e.entity_id < end
} AS left_out
CALL (as_of, rights, page) {
  UNWIND page AS one
  WITH as_of, rights, one.e AS e, one.id AS id, one.mentions AS mentions, one.nodes AS nodes, one.at AS last_mentioned_at, one.keys AS keys, one.kind AS kind_seen
  CALL (keys) {
    UNWIND keys AS key
    MATCH (a:Alias {user_id: $user_id, type: 'name', key: key})  // whoever else had it first
    WITH DISTINCT a.value AS value ORDER BY size(value) DESC, value
    RETURN collect(value) AS names
  }
  RETURN collect({entity_id: id,
                  name: CASE WHEN $principal = $user_id THEN part.called_then(e) ELSE coalesce(head(names), kind_seen) END,
                  kind: kind_seen, names: names, mentions: mentions, last_mentioned_at: last_mentioned_at, nodes: nodes, fact_count: part.fact_count(e),
                  importance: CASE WHEN $principal = $user_id THEN e.importance END, summary: part.summed_up(e)}) AS entities
}
RETURN entities, CASE WHEN page IS NOT NULL THEN left_out END AS left_out
