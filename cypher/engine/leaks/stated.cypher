// Purpose: what records of some users state of relations, as the service sees it, regardless of rights: for the leak fuzzer. Service only.
// Parameters: users (ids). Returns: record_id, at (when it was said), relation_id, relation_type, source_id, target_id, weight, since, until, ended,
//   over (until when the relation holds, as it is kept), symmetric, enders (what ends it, and what did), known_from, known_to; a row a record and relation.
MATCH (a:Entity)<-[v:EVIDENCE]-(r:Record)
WHERE a.user_id IN $users
MATCH (a)-[relation {relation_id: v.relation_id}]->(b:Entity)
RETURN r.record_id AS record_id, coalesce(r.occurred_at, r.known_from) AS at, relation.relation_id AS relation_id, relation.name AS relation_type,
       a.entity_id AS source_id, b.entity_id AS target_id, v.weight AS weight, v.since AS since, v.until AS until, v.ended AS ended,
       relation.until AS over, coalesce(relation.symmetric, false) AS symmetric,
       [id IN [relation.ended_by] + coalesce(relation.enders, []) WHERE id IS NOT NULL] AS enders, v.known_from AS known_from, v.known_to AS known_to
