// Purpose: one entity: its names, the nodes where it is mentioned with their paths, its latest mentions; of a merged one that which it became. As for a
//   page, other readers than the user meet only what records support that they may read; the places in items where they may read these.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), entity_id, most (nodes and mentions at most).
// Returns: entity_id, key (of the user only), name, kind, names, merged (ids of those that it took in), mentions, first_mentioned_at,
//   last_mentioned_at, importance, summary, mentioned, access_count and last_accessed_at (of the user only), anchors, latest, fact_count; no row when there is none that may be read.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
MATCH (asked:Entity {entity_id: $entity_id})
WHERE asked.user_id = $user_id
MATCH (e:Entity)-[merges:SUPERSEDES*0..]->(asked)
WHERE all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
WITH as_of, rights, e, asked LIMIT 1
MATCH (e)-[merges:SUPERSEDES*0..]->(member:Entity)<-[m:MENTIONS]-(r:Record)<-[:HOLDS]-(n:Node)
WHERE all(merge IN merges WHERE part.holds(merge)) AND part.holds(m) AND part.shown(r) AND part.opened(n, 'records')
WITH as_of, rights, e, asked, member, m, r, n, coalesce(r.occurred_at, r.known_from) AS at ORDER BY at DESC, r.title, r.record_id
WITH as_of, rights, e, asked, collect(DISTINCT member) AS members, count(DISTINCT r) AS mentions, min(at) AS first_mentioned_at, max(at) AS last_mentioned_at,
     reduce(keys = [], one IN collect(DISTINCT m.names) + collect(DISTINCT part.given(member)) | keys + one) AS keys, collect(m.kind) AS kinds, collect(DISTINCT r)[..$most] AS newest, collect({node: n, record: r}) AS places
WITH *, CASE WHEN $principal = $user_id THEN part.kind_then(e) ELSE part.kind_told(kinds) END AS kind_seen, part.seen_as(e, members) AS id WHERE asked.entity_id = id OR asked IN members
CALL (keys) {
  UNWIND keys AS key
  MATCH (a:Alias {user_id: $user_id, type: 'name', key: key})  // whoever else had it first
  WITH DISTINCT a.value AS value ORDER BY size(value) DESC, value
  RETURN collect(value) AS names
}
CALL (as_of, rights, places, newest, e) {
  UNWIND places AS place
  WITH as_of, rights, e, place.node AS n, count(DISTINCT place.record) AS mentions, newest ORDER BY mentions DESC, n.node_id LIMIT $most
  MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n)
  WHERE all(h IN relationships(way_down) WHERE part.holds(h))
  RETURN collect({node_id: n.node_id, mentions: mentions, about: CASE WHEN $principal = $user_id THEN EXISTS { (n)-[:IS_ABOUT]->(e) } ELSE false END, path: [p IN nodes(way_down) WHERE part.readable(p) | part.name_then(p)]}) AS anchors
}
CALL (as_of, rights, members, newest) {
  UNWIND newest AS r
  MATCH (member)<-[m:MENTIONS]-(r)<-[:HOLDS]-(n:Node)
  WHERE member IN members AND part.holds(m) AND part.opened(n, 'records')
  OPTIONAL MATCH (r)-[:WAS]->(s:Past) WHERE part.holds(s)
  WITH r, n, s, m ORDER BY coalesce(r.occurred_at, r.known_from) DESC, r.title, r.record_id
  RETURN collect({record_id: r.record_id, node_id: n.node_id, title: coalesce(s.title, r.title), at: coalesce(r.occurred_at, r.known_from), role: m.role,
                  names: m.names, spans: CASE WHEN part.opened(n, 'items') THEN m.spans ELSE [] END, count: m.count}) AS latest
}
RETURN id AS entity_id, CASE WHEN $principal = $user_id THEN e.key END AS key,
       CASE WHEN $principal = $user_id THEN part.called_then(e) ELSE coalesce(head(names), kind_seen) END AS name, kind_seen AS kind, names,
       [member IN members WHERE member.entity_id <> id | member.entity_id] AS merged, mentions, first_mentioned_at, last_mentioned_at,
       CASE WHEN $principal = $user_id THEN e.importance END AS importance, part.summed_up(e) AS summary, anchors, latest,
       CASE WHEN $principal = $user_id THEN COLLECT {
         UNWIND members AS one WITH one WHERE one.mentions > 0
         WITH one ORDER BY one.last_mentioned_at DESC, one.last_record_id
         WITH collect(one) AS all_of, sum(one.mentions) AS times WHERE times > 0
         OPTIONAL MATCH (last:Record {record_id: all_of[0].last_record_id}) WHERE part.shown(last)  // an ended one is quoted no more
         RETURN {at: all_of[0].last_mentioned_at, first_at: first_mentioned_at, times: times,
                 context: CASE WHEN last IS NOT NULL THEN all_of[0].last_context END, record_id: last.record_id}
       }[0] END AS mentioned,
       part.fact_count(e) AS fact_count,
       CASE WHEN $principal = $user_id THEN reduce(times = coalesce(e.access_count, 0), one IN members | times + CASE WHEN one = e THEN 0 ELSE coalesce(one.access_count, 0) END) END AS access_count,
       CASE WHEN $principal = $user_id THEN reduce(at = e.last_accessed_at, one IN members | CASE WHEN at IS NULL OR one.last_accessed_at > at THEN one.last_accessed_at ELSE at END) END AS last_accessed_at
