-- Purpose: tries to log an event in any graph: for the leak fuzzer, rolled back. Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.hierarchy_log (user_id, node_id, event, detail) VALUES (%(user_id)s, %(node_id)s, 'too_deep', jsonb_build_object())
