-- Purpose: empties a slot of a node that no version holds. Service only.
-- Parameters: node_id, slot. Returns: ready (false where the node is in use: later again).
SELECT engine.clear_slot(%(node_id)s, %(slot)s) AS ready
