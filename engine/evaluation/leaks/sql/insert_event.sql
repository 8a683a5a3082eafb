-- Purpose: tries to write an event in any user's name: for the leak fuzzer, rolled back. Parameters: user_id, node_id, author. Returns: nothing.
INSERT INTO engine.event_log (event_id, user_id, node_id, kind, content, occurred_at, recorded_at, authored_by)
VALUES (gen_random_uuid(), %(user_id)s, %(node_id)s, 'x', '', now(), now(), %(author)s)
