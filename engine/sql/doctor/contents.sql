-- Purpose: what is wrong inside of these nodes. Service only. Parameters: nodes.
-- Returns: node_id, schema_name, texts, vectors, deltas, sources, files, unreadable.
SELECT node_id, schema_name, texts, vectors, deltas, sources, files, unreadable FROM engine.node_contents(%(nodes)s::uuid[])
