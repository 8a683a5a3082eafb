// Purpose: of each of some relations the weightiest record that states it, of those that may be read, the newest of several.
// Parameters: user_id (whose graph), principal and kind (who asks), as_of, known_at (the end of time is now), earliest (of both that are asked for, else
//   the end of time), relations (ids).
// Returns: relation_id, record_id, node_id, title, at; item_id and span (its place in an item) for those who may read the items.
CYPHER 25
WITH $as_of AS as_of, part.rights() AS rights
UNWIND $relations AS relation_id
CALL (as_of, rights, relation_id) {
  MATCH (e:Entity)<-[v:EVIDENCE {relation_id: relation_id}]-(r:Record)<-[:HOLDS]-(n:Node) USING INDEX SEEK v:EVIDENCE(relation_id)
  WHERE e.user_id = $user_id AND part.holds(v) AND part.shown(r) AND part.opened(n, 'records')
  OPTIONAL MATCH (r)-[:WAS]->(s:Past) WHERE part.holds(s)
  WITH r, n, v, coalesce(r.occurred_at, r.known_from) AS at, coalesce(s.title, r.title) AS title
  ORDER BY v.weight DESC, at DESC, title, r.record_id LIMIT 1
  RETURN r.record_id AS record_id, n.node_id AS node_id, title, at,
         CASE WHEN part.opened(n, 'items') THEN v.item_id END AS item_id, CASE WHEN part.opened(n, 'items') THEN v.span END AS span
}
RETURN relation_id, record_id, node_id, title, at, item_id, span
