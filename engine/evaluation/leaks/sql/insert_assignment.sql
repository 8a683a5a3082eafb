-- Purpose: tries to add an assignment to any graph, in the name of any principal: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, author. Returns: nothing.
INSERT INTO engine.assignments (user_id, record_id, node_id, confidence, decided_by, author, decided_at)
VALUES (%(user_id)s, gen_random_uuid(), %(node_id)s, 1, 'hand', %(author)s, now())
