// Purpose: the shell of one node: identity, path, children with their states, cross-node edges, newest manifest lines.
// Parameters: user_id (the principal's), node_id, as_of, known_at (null is now), entries (manifest lines at most).
// Returns: one row, or none when the node is missing or not readable.
WITH coalesce($as_of, datetime()) AS as_of
MATCH (n:Node {node_id: $node_id})
WHERE n.user_id = $user_id
  AND coalesce(n.known_from <= $known_at, true) AND coalesce(n.known_to > $known_at, n.known_to IS NULL)
  AND coalesce(n.valid_from <= as_of, true) AND coalesce(n.valid_to > as_of, true)
MATCH way = (:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n)
WITH n, as_of, [p IN nodes(way) | p.name] AS path
CALL (n, as_of) {
  MATCH (n)-[:HAS_CHILD]->(c:Node)
  WHERE c.user_id = $user_id AND coalesce(c.known_from <= $known_at, true) AND coalesce(c.known_to > $known_at, c.known_to IS NULL)
    AND coalesce(c.valid_from <= as_of, true) AND coalesce(c.valid_to > as_of, true)
  WITH c ORDER BY c.name_key LIMIT 500
  RETURN collect({node_id: c.node_id, name: c.name, node_type: c.node_type, layer: c.layer, state: c.state, records: c.records,
                  children: COUNT { (c)-[:HAS_CHILD]->() }}) AS children
}
CALL (n, as_of) {
  MATCH (n)-[e:RELATED]-(o:Node)
  WHERE o.user_id = $user_id AND coalesce(e.known_from <= $known_at, true) AND coalesce(e.known_to > $known_at, e.known_to IS NULL)
    AND coalesce(e.valid_from <= as_of, true) AND coalesce(e.valid_to > as_of, true)
  WITH n, e, o ORDER BY e.edge_type, o.name_key LIMIT 200
  MATCH to_other = (:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(o)
  RETURN collect({edge_type: e.edge_type, other_id: o.node_id, other_name: o.name, outgoing: startNode(e) = n,
                  other_path: [p IN nodes(to_other) | p.name]}) AS edges
}
CALL (n) {
  MATCH (n)-[:HOLDS]->(r:Record)
  WHERE coalesce(r.known_from <= $known_at, true) AND coalesce(r.known_to > $known_at, r.known_to IS NULL)
  WITH r ORDER BY r.known_from DESC, r.record_id LIMIT $entries
  RETURN collect({record_id: r.record_id, title: r.title, content_type: r.content_type, file_name: r.file_name,
                  occurred_at: r.occurred_at}) AS manifest
}
RETURN n {.node_id, .user_id, .parent_id, .name, .node_type, .layer, .schema_name, .state, .summary, .keywords, .aliases,
          .records, .items, .created_at, .last_accessed_at} AS node, path, children, edges, manifest
