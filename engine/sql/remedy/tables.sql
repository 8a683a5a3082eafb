-- Purpose: gives a node the tables, columns and rights that it lacks. Service only. Parameters: node_id. Returns: nothing of use.
SELECT engine.mend_node_tables(%(node_id)s)
