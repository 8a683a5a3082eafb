-- Purpose: nodes that wait for vectors, one page, with their schemas (null where the node is not registered). Service only.
-- Parameters: after (node_id), most. Returns: node_id, schema_name.
SELECT p.node_id, n.schema_name FROM engine.pending_vectors AS p LEFT JOIN engine.nodes AS n USING (node_id)
WHERE p.node_id > %(after)s ORDER BY p.node_id LIMIT %(most)s
