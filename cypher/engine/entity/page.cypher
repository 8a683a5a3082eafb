// Purpose: the entities of a graph, one page, those with most mentions first; merged ones as one. Readers other than the user meet those that a record
//   mentions which they may read, under the names that such records use, with the number of such records.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), kinds (of entities; empty: all), name (normal form that one of its names begins with, or an empty text), before (mentions,
//   entity_id of the last one before them; of the first page the largest number and an empty text), limit.
// Returns: entity_id, name, kind, names, mentions, last_mentioned_at, nodes (how many), fact_count (live ones about it), importance and
//   summary (of the user only).
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
MATCH (e:Entity {user_id: $user_id})
WHERE e.key IS NOT NULL  // lets the index on user and key find all of a user
  AND part.holds(e) AND ($kinds = [] OR e.kind IN $kinds OR $principal <> $user_id)
  AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
CALL (e, as_of, rights) {
  MATCH (e)-[merges:SUPERSEDES*0..]->(member:Entity)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
  WHERE all(merge IN merges WHERE part.holds(merge)) AND part.holds(m) AND part.shown(r) AND part.opened(n, 'records')
  RETURN count(DISTINCT r) AS mentions, count(DISTINCT n) AS nodes, max(coalesce(r.occurred_at, r.known_from)) AS last_mentioned_at,
         collect(DISTINCT m.names) AS used, collect(m.kind) AS kinds
}
WITH as_of, rights, e, mentions, nodes, last_mentioned_at, reduce(keys = [], one IN used | keys + one) AS keys,
     CASE WHEN $principal = $user_id THEN e.kind ELSE part.kind_told(kinds) END AS kind_seen
WHERE mentions > 0 AND ($kinds = [] OR kind_seen IN $kinds) AND (mentions < $before[0] OR mentions = $before[0] AND e.entity_id > $before[1])
  AND ($name = '' OR any(key IN keys WHERE key STARTS WITH $name OR key CONTAINS ' ' + $name))
WITH as_of, rights, e, mentions, nodes, last_mentioned_at, keys, kind_seen ORDER BY mentions DESC, e.entity_id LIMIT $limit
CALL (keys) {
  UNWIND keys AS key
  MATCH (a:Alias {user_id: $user_id, type: 'name', key: key})  // whoever else had it first
  WITH DISTINCT a.value AS value ORDER BY size(value) DESC, value
  RETURN collect(value) AS names
}
RETURN e.entity_id AS entity_id,
       CASE WHEN $principal = $user_id OR e.name_key IN keys THEN e.name ELSE coalesce(head(names), kind_seen) END AS name, kind_seen AS kind, names,
       mentions, last_mentioned_at, nodes, part.fact_count(e) AS fact_count,
       CASE WHEN $principal = $user_id THEN e.importance END AS importance, part.summed_up(e) AS summary
ORDER BY mentions DESC, entity_id
