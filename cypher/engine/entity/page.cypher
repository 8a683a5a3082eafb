// Purpose: the entities of a graph, one page, those with most mentions first; merged ones as one. Readers other than the user meet those that a record
//   mentions which they may read, under the names that such records use, with the number of such records.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), kinds (of entities; empty: all), name (normal form that one of its names begins with, or an empty text), before (mentions,
//   entity_id of the last one before them; of the first page the largest number and an empty text), limit, most (entities that are looked at: those with
//   the highest kept counts, which are at least as high as what is counted here; no rows where that may not be the whole page).
// Returns: entity_id, name, kind, names, mentions, last_mentioned_at, nodes (how many), fact_count (live ones about it), importance and
//   summary (of the user only).
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
CALL () {
  MATCH (e:Entity)
  WHERE e.user_id = $user_id AND e.mentions >= 0 AND e.entity_id IS NOT NULL AND ($kinds = [] OR e.kind IN $kinds OR e.rekinded IS NOT NULL OR $principal <> $user_id)
  WITH e ORDER BY e.user_id DESC, e.mentions DESC LIMIT $most  // as an index has them
  RETURN collect(e) AS most_mentioned
}
WITH as_of, rights, most_mentioned, CASE WHEN size(most_mentioned) < $most THEN -1 ELSE most_mentioned[-1].mentions END AS beyond
CALL (beyond) {
  MATCH (e:Entity)
  WHERE e.user_id = $user_id AND e.mentions = beyond AND e.entity_id IS NOT NULL AND ($kinds = [] OR e.kind IN $kinds OR e.rekinded IS NOT NULL OR $principal <> $user_id)
  WITH e ORDER BY e.user_id, e.mentions, e.entity_id LIMIT $most
  RETURN collect(e) AS as_often
}
CALL () {
  MATCH (part_of:Entity)<-[:SUPERSEDES*1..]-(e:Entity)  // what it says of itself is not the count of all that it is read for
  USING INDEX part_of:Entity(user_id, active)  // else all entities are looked at
  WHERE part_of.user_id = $user_id AND part_of.active = false
  RETURN collect(DISTINCT e) AS merged
}
WITH as_of, rights, beyond, most_mentioned + as_often + merged AS looked_at, CASE WHEN size(as_often) < $most THEN '~' ELSE as_often[-1].entity_id END AS last_id
UNWIND looked_at AS e
WITH DISTINCT as_of, rights, beyond, last_id, e
WHERE part.holds(e) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
CALL (e, as_of, rights) {
  MATCH (e)-[merges:SUPERSEDES*0..]->(member:Entity)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
  WHERE all(merge IN merges WHERE part.holds(merge)) AND part.holds(m) AND part.shown(r) AND part.opened(n, 'records')
  RETURN count(DISTINCT r) AS mentions, count(DISTINCT n) AS nodes, max(coalesce(r.occurred_at, r.known_from)) AS last_mentioned_at,
         collect(DISTINCT m.names) + collect(DISTINCT part.given(member)) AS used, collect(m.kind) AS kinds
}
WITH as_of, rights, beyond, last_id, e, mentions, nodes, last_mentioned_at, reduce(keys = [], one IN used | keys + one) AS keys,
     CASE WHEN $principal = $user_id THEN part.kind_then(e) ELSE part.kind_told(kinds) END AS kind_seen
WHERE mentions > 0 AND ($kinds = [] OR kind_seen IN $kinds) AND (mentions < $before[0] OR mentions = $before[0] AND e.entity_id > $before[1])
  AND ($name = '' OR any(key IN keys WHERE key STARTS WITH $name OR key CONTAINS ' ' + $name))
WITH as_of, rights, beyond, last_id, e, mentions, nodes, last_mentioned_at, keys, kind_seen ORDER BY mentions DESC, e.entity_id LIMIT $limit
WITH as_of, rights, beyond, last_id, collect({e: e, mentions: mentions, nodes: nodes, at: last_mentioned_at, keys: keys, kind: kind_seen}) AS page
WITH as_of, rights, page, page[-1] AS last, beyond, last_id
WHERE beyond < 0 OR size(page) = $limit AND (last.mentions > beyond OR last.mentions = beyond AND last.e.entity_id <= last_id)
UNWIND page AS one
WITH as_of, rights, one.e AS e, one.mentions AS mentions, one.nodes AS nodes, one.at AS last_mentioned_at, one.keys AS keys, one.kind AS kind_seen
CALL (keys) {
  UNWIND keys AS key
  MATCH (a:Alias {user_id: $user_id, type: 'name', key: key})  // whoever else had it first
  WITH DISTINCT a.value AS value ORDER BY size(value) DESC, value
  RETURN collect(value) AS names
}
RETURN e.entity_id AS entity_id,
       CASE WHEN $principal = $user_id THEN part.called_then(e) WHEN e.name_key IN keys THEN e.name ELSE coalesce(head(names), kind_seen) END AS name, kind_seen AS kind, names,
       mentions, last_mentioned_at, nodes, part.fact_count(e) AS fact_count,
       CASE WHEN $principal = $user_id THEN e.importance END AS importance, part.summed_up(e) AS summary
ORDER BY mentions DESC, entity_id
