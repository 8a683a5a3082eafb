-- Purpose: whether a node has tables of the newest version. Service only. Parameters: schema_name. Returns: node_id; no row where it has not.
SELECT node_id FROM engine.nodes WHERE schema_name = %(schema_name)s AND template_version = engine.template_version()
