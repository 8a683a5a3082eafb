-- Purpose: a node lacks nothing any more; not where something was moved there meanwhile, which sets it back. Service only.
-- Parameters: node_id, lacking, after (how far the node is). Returns: nothing.
DELETE FROM engine.older_items WHERE node_id = %(node_id)s AND lacking = %(lacking)s AND after = %(after)s
