-- Purpose: takes the present texts of a node's items for the right ones, which is logged. Service only. Parameters: node_id. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, detail)
SELECT 'text-changed', %(node_id)s::uuid, engine.accept_texts(%(node_id)s::uuid) || ' items'
