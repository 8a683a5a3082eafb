-- Purpose: which of these nodes the registry knows, for the comparison with what the graph holds beyond it. Service only. Parameters: nodes.
-- Returns: node_id, schema_name, revision.
SELECT n.node_id, n.schema_name, n.revision FROM engine.nodes AS n WHERE n.node_id = ANY (%(nodes)s::uuid[])
