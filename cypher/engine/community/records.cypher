// Purpose: the newest records of a user with what each mentions.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user), as_of, known_at and earliest (the end of time is now), limit.
// Returns: record_id, node_id, at, dated (whether it is known when it happened), mentioned [{entity_id, role, spans (at most 20)}]; the newest first.
CYPHER 25
WITH $as_of AS as_of
MATCH (n:Node {user_id: $user_id})-[:HOLDS]->(r:Record)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
  AND n.name_key IS NOT NULL AND part.shown(r)
WITH as_of, n, r, coalesce(r.occurred_at, r.known_from) AS at ORDER BY at DESC, r.record_id LIMIT $limit
RETURN r.record_id AS record_id, n.node_id AS node_id, at, r.occurred_at IS NOT NULL AS dated,
       COLLECT { MATCH (r)-[m:MENTIONS]->(e:Entity) WHERE part.holds(m)
                 RETURN {entity_id: e.entity_id, role: m.role, spans: m.spans[..20]} ORDER BY e.entity_id, m.role } AS mentioned
