// Purpose: all nodes of a user with what assignment needs: names, aliases, keywords, path. One page of at most 10,000.
// Parameters: user_id (the principal's), as_of, known_at (null is now). Returns: a row a node, parents first.
WITH coalesce($as_of, datetime()) AS as_of
MATCH way = (:Node {node_id: $user_id})-[:HAS_CHILD*0..5]->(n:Node)
WHERE n.user_id = $user_id AND coalesce(n.known_from <= $known_at, true) AND coalesce(n.known_to > $known_at, n.known_to IS NULL)
  AND coalesce(n.valid_from <= as_of, true) AND coalesce(n.valid_to > as_of, true)
RETURN n.node_id AS node_id, n.parent_id AS parent_id, n.name AS name, n.layer AS layer, n.node_type AS node_type,
       n.schema_name AS schema_name, n.keywords AS keywords, n.aliases AS aliases, [p IN nodes(way) | p.name] AS path
ORDER BY n.layer, n.name_key LIMIT 10000
