-- Purpose: a node as the registry has it, for its shell. Service only. Parameters: node_id.
-- Returns: node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, created_at, graph_part (the graph's part of its first commit, where
--   that is still kept).
SELECT n.node_id, n.user_id, n.parent_id, n.name, n.name_key, n.node_type, n.layer, n.schema_name, n.created_at,
       engine.node_made(n.user_id, n.node_id) AS graph_part
FROM engine.nodes AS n
WHERE n.node_id = %(node_id)s AND n.state = 'live'
