-- Purpose: nodes with items that may lack something that newer ones have, one page; those with the newest tables. Service only.
-- Parameters: lacking ('entities' or 'tokens'), after (node_id), most. Returns: node_id, user_id, schema_name, after (how far the node is).
SELECT o.node_id, n.user_id, n.schema_name, o.after FROM engine.older_items AS o JOIN engine.nodes AS n USING (node_id)
WHERE o.lacking = %(lacking)s AND o.node_id > %(after)s AND n.template_version = engine.template_version()
ORDER BY o.node_id LIMIT %(most)s
