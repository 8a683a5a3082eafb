// Purpose: why a relation is believed: each record that states it, with its weight and place; of those that may be read. Its place in an item for
//   those who may read that.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), relation_id, limit.
// Returns: relation_type, source_id, source_name, target_id, target_name, record_id, node_id, title, at, item_id, span, weight, since, until, ended, fact_id (a fact of the record that
//   states it, for the user); a row a record.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
MATCH (source:Entity)<-[v:EVIDENCE {relation_id: $relation_id}]-(r:Record)<-[:HOLDS]-(n:Node)
WHERE source.user_id = $user_id AND part.holds(v) AND part.shown(r) AND part.opened(n, 'records')
MATCH (source)-[relation {relation_id: $relation_id}]->(target:Entity)
OPTIONAL MATCH (r)-[:WAS]->(s:Past) WHERE part.holds(s)
WITH as_of, rights, source, target, relation, v, r, n, s, coalesce(r.occurred_at, r.known_from) AS at
ORDER BY v.weight DESC, at DESC, r.record_id LIMIT $limit
WITH as_of, rights, source, target, relation, collect({v: v, r: r, n: n, s: s, at: at}) AS found
WITH rights, source, target, relation, found, part.called(source) AS source_name, part.called(target) AS target_name  // once, not for each record: see entity/relations_then
UNWIND found AS one
WITH rights, source, source_name, target, target_name, relation, one.v AS v, one.r AS r, one.n AS n, one.s AS s, one.at AS at
ORDER BY v.weight DESC, at DESC, r.record_id
RETURN relation.name AS relation_type, source.entity_id AS source_id, source_name, target.entity_id AS target_id,
       target_name, r.record_id AS record_id, n.node_id AS node_id, coalesce(s.title, r.title) AS title, at,
       CASE WHEN part.opened(n, 'items') THEN v.item_id END AS item_id, CASE WHEN part.opened(n, 'items') THEN v.span END AS span,
       v.weight AS weight, v.since AS since, v.until AS until, v.ended AS ended,
       CASE WHEN $principal = $user_id AND trim($kind) = 'user' THEN v.fact_id END AS fact_id
