-- Purpose: the schema of a node of one graph that the principal may read. Parameters: node_id, user_id (whose graph), earliest (of
--   the times that are asked for, or null: it must be shown as it was then).
-- Returns: schema_name, outdated (its tables are not of the newest version yet); none when missing or hidden.
SELECT schema_name, template_version < engine.template_version() AS outdated
FROM engine.nodes WHERE node_id = %(node_id)s AND user_id = %(user_id)s AND state = 'live' AND known_to IS NULL
  AND (%(earliest)s::timestamptz IS NULL OR engine.reads_from(node_id, NULL) <= %(earliest)s)
