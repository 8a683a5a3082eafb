-- Purpose: gives a node the tables that its schema lacks, empty, with their policies. Service only. Parameters: node_id, schema_name. Returns: made.
SELECT engine.mend_node_schema(%(node_id)s, %(schema_name)s) AS made
