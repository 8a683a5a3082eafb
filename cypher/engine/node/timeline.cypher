// Purpose: on which days the records of a graph happened, node by node, by what is known now; for its user.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user sees all of a graph), skip, limit (rows).
// Returns: node_id, day (in UTC; null: undated records, which hold at every time), records; by day, undated ones first.
MATCH (:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id
MATCH (n)-[:HOLDS]->(r:Record) WHERE r.known_to IS NULL
WITH n.node_id AS node_id, count(*) AS records,
     CASE WHEN r.occurred_at IS NOT NULL THEN toString(date(datetime({datetime: r.occurred_at, timezone: 'Z'}))) END AS day  // null raises there
RETURN node_id, day, records ORDER BY day IS NOT NULL, day, node_id SKIP $skip LIMIT $limit
