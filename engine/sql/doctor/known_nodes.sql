-- Purpose: which of these nodes the registry does not know. Service only. Parameters: nodes. Returns: node_id.
SELECT asked.node_id FROM unnest(%(nodes)s::uuid[]) AS asked (node_id)
WHERE NOT EXISTS (SELECT 1 FROM engine.nodes AS n WHERE n.node_id = asked.node_id)
