-- name: known
-- Purpose: how many of the nodes that were found damaged still are; at most 100 are looked at again. Service only. Parameters: none. Returns: nodes.
SELECT count(*) AS nodes
FROM (SELECT d.reason, n.schema_name, n.template_version FROM engine.damage AS d JOIN engine.nodes AS n USING (node_id)
      ORDER BY d.node_id LIMIT 100) AS d
WHERE starts_with(d.reason, 'its rows') OR engine.node_damage(d.schema_name, d.template_version) IS NOT NULL

-- name: mended
-- Purpose: after a look at all nodes: strikes those off the list of damaged ones that are whole again. Service only.
-- Parameters: still (uuid[], those that are damaged). Returns: nothing.
DELETE FROM engine.damage WHERE node_id <> ALL (%(still)s::uuid[])

-- name: nodes
-- Purpose: which of these nodes are damaged, queried after a statement failed; only nodes that the principal may read are returned.
-- Parameters: user_id (whose graph), nodes (uuid[], null for all), rows (whether each node is read where the catalog finds
--   nothing), query (a vector as text to compare them with, or null), version (its embedding version). Returns: node_id, reason.
SELECT node_id, reason
FROM engine.damaged_nodes(%(user_id)s::uuid, %(nodes)s::uuid[], %(rows)s::boolean, %(query)s::vector, %(version)s::text) LIMIT 1000

-- name: note
-- Purpose: notes damaged nodes for readiness. Service only. Parameters: nodes, reasons (arrays of one length). Returns: nothing.
INSERT INTO engine.damage (node_id, reason)
SELECT d.node_id, d.reason FROM unnest(%(nodes)s::uuid[], %(reasons)s::text[]) AS d (node_id, reason)
WHERE EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = d.node_id) ORDER BY 1
ON CONFLICT (node_id) DO UPDATE SET reason = excluded.reason, noted_at = clock_timestamp()
