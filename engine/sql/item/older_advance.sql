-- Purpose: notes how far a node is. Service only. Parameters: node_id, lacking, before and after (how far it was,
-- and is; where something was moved there meanwhile it begins again). Returns: nothing.
UPDATE engine.older_items SET after = %(after)s WHERE node_id = %(node_id)s AND lacking = %(lacking)s AND after = %(before)s
