-- Purpose: tries to add a count to any node: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, unit. Returns: nothing.
INSERT INTO engine.term_counts (user_id, term, node_id, unit, documents) VALUES (%(user_id)s, 999999, %(node_id)s, %(unit)s, 1)
