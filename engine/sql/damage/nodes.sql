-- Purpose: which of these nodes are damaged, queried after a statement failed; only nodes that the principal may read are returned.
-- Parameters: user_id (whose graph), nodes (uuid[], null for all), rows (whether each node is read where the catalog finds
--   nothing), query (a vector as text to compare them with, or null), version (its embedding version). Returns: node_id, reason.
SELECT node_id, reason
FROM engine.damaged_nodes(%(user_id)s::uuid, %(nodes)s::uuid[], %(rows)s::boolean, %(query)s::vector, %(version)s::text) LIMIT 1000
