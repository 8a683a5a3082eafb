// Purpose: the whole tree of a graph with counts and states, for its user.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at (the end of time, or null, is now),
//   depth (layers below the root), limit.
// Returns: node_id, parent_id, name, node_type, layer, state, archived, records, items; parents before their children.
WITH coalesce($as_of, datetime()) AS as_of
MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n:Node)
WHERE $principal = $user_id AND $kind = 'user' AND n.user_id = $user_id AND length(way_down) <= $depth
  AND coalesce(n.known_from <= $known_at, true) AND coalesce(n.known_to > $known_at, n.known_to IS NULL)
  AND coalesce(n.valid_from <= as_of, true) AND coalesce(n.valid_to > as_of, true)
  AND all(h IN relationships(way_down) WHERE coalesce(h.known_from <= $known_at, true) AND coalesce(h.known_to > $known_at, h.known_to IS NULL) AND coalesce(h.valid_from <= as_of, true) AND coalesce(h.valid_to > as_of, true))
RETURN n.node_id AS node_id, CASE WHEN length(way_down) > 0 THEN nodes(way_down)[-2].node_id END AS parent_id,
       coalesce(head([(n)-[:WAS]->(s:Past) WHERE coalesce(s.known_from <= $known_at, true) AND coalesce(s.known_to > $known_at, s.known_to IS NULL) AND coalesce(s.valid_from <= as_of, true) AND coalesce(s.valid_to > as_of, true) | s.name]), n.name) AS name,
       n.node_type AS node_type, length(way_down) AS layer, n.state AS state,
       size([t IN coalesce(n.archivings, []) WHERE t <= CASE WHEN $known_at < as_of THEN $known_at ELSE as_of END]) % 2 = 1 AS archived,
       n.records AS records, n.items AS items
ORDER BY layer, name, node_id LIMIT $limit
