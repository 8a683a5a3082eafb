-- Purpose: logs that a loss at a node was accepted. Service only. Parameters: kind, node_id, detail. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, detail) VALUES (%(kind)s, %(node_id)s, %(detail)s)
