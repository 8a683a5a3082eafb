-- Purpose: nodes of all users, one page, for the walks over slots. Service only.
-- Parameters: after (node_id), most. Returns: node_id, schema_name.
SELECT node_id, schema_name FROM engine.nodes WHERE node_id > %(after)s ORDER BY node_id LIMIT %(most)s
