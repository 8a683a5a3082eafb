-- Purpose: the schema of a node that the principal may read. Parameters: node_id. Returns: schema_name; none when missing or hidden.
SELECT schema_name FROM engine.nodes WHERE node_id = %(node_id)s AND state = 'live' AND known_to IS NULL
