-- Purpose: nodes as the registry has them, parents before children, one page. Service only. Parameters: after_layer, after (node id), limit.
-- Returns: node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, created_at.
SELECT n.node_id, n.user_id, n.parent_id, n.name, n.name_key, n.node_type, n.layer, n.schema_name, n.created_at
FROM engine.nodes AS n
WHERE n.state = 'live' AND (n.layer, n.node_id) > (%(after_layer)s::integer, %(after)s::uuid)
ORDER BY n.layer, n.node_id LIMIT %(limit)s
