-- Purpose: logs an event of the hierarchy. Parameters: user_id, node_id, event, detail. Returns: nothing.
INSERT INTO engine.hierarchy_log (user_id, node_id, event, detail)
VALUES (%(user_id)s, %(node_id)s, %(event)s, %(detail)s)
