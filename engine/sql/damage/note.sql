-- Purpose: notes damaged nodes for readiness. Service only. Parameters: nodes, reasons (arrays of one length). Returns: nothing.
INSERT INTO engine.damage (node_id, reason)
SELECT d.node_id, d.reason FROM unnest(%(nodes)s::uuid[], %(reasons)s::text[]) AS d (node_id, reason)
WHERE EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = d.node_id) ORDER BY 1
ON CONFLICT (node_id) DO UPDATE SET reason = excluded.reason, noted_at = clock_timestamp()
