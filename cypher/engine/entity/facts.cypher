// Purpose: facts about an entity, and about those that were merged into it, those that it is the subject of first, then the strongest: confirmed most often, then
//   the newest. Readers other than the user meet live ones that they may read.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at and earliest (the end of time is now), entity_id, ended (also those that are
//   over), scoped (also those of threads and workflows), limit.
// Returns: fact_id, node_id, record_id, status, subject (whether it is), stale, valid_from, valid_to, confirmations.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
MATCH (asked:Entity {entity_id: $entity_id})
WHERE asked.user_id = $user_id
MATCH (e:Entity)-[merges:SUPERSEDES*0..]->(asked)
WHERE all(merge IN merges WHERE part.holds(merge)) AND NOT EXISTS { (:Entity)-[merge:SUPERSEDES]->(e) WHERE part.holds(merge) }
WITH as_of, rights, e LIMIT 1
MATCH (e)-[merges:SUPERSEDES*0..]->(:Entity)<-[a:ABOUT]-(f:Fact)<-[s:STATES]-(r:Record)<-[:HOLDS]-(n:Node)
WHERE all(merge IN merges WHERE part.holds(merge)) AND s.fact_id = f.fact_id AND s.known_to IS NULL
  AND (f.status = 'live' OR $ended AND f.status <> 'confirmation') AND ($scoped OR f.scope = 'user') AND part.told(f, r)
  AND part.opened(n, 'records') AND part.opened(n, 'items')
WITH f, n, r, any(one IN collect(a.primary) WHERE one) AS subject
ORDER BY subject DESC, f.status <> 'live', f.confirmations DESC, coalesce(f.last_confirmed_at, f.said_at, f.known_from) DESC, f.caption, f.fact_id LIMIT $limit
RETURN f.fact_id AS fact_id, n.node_id AS node_id, r.record_id AS record_id, f.status AS status, subject, f.stale AS stale, f.valid_from AS valid_from,
       f.valid_to AS valid_to, f.confirmations AS confirmations
