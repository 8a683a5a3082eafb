-- Purpose: the schema of a node of one graph that the principal may read. Parameters: node_id, user_id (whose graph).
-- Returns: schema_name, outdated (its tables are not of the newest version yet); none when missing or hidden.
SELECT schema_name, template_version < engine.template_version() AS outdated
FROM engine.nodes WHERE node_id = %(node_id)s AND user_id = %(user_id)s AND state = 'live' AND known_to IS NULL
