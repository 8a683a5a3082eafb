// Purpose: the whole tree of a graph with counts and states, for its user.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), as_of, known_at (the end of time is now),
//   depth (layers below the root), limit.
// Returns: node_id, parent_id, name, node_type, layer, state, archived, records, items; parents before their children.
WITH $as_of AS as_of
MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n:Node)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND length(way_down) <= $depth
  AND part.holds(n)
  AND all(h IN relationships(way_down) WHERE part.holds(h))
RETURN n.node_id AS node_id, CASE WHEN length(way_down) > 0 THEN nodes(way_down)[-2].node_id END AS parent_id,
       part.name_then(n) AS name,
       n.node_type AS node_type, length(way_down) AS layer, n.state AS state,
       part.archived(n) AS archived,
       n.records AS records, n.items AS items
ORDER BY layer, name, node_id LIMIT $limit
