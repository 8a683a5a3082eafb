-- Purpose: tries to write a grant without its function: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode)
VALUES (gen_random_uuid(), %(user_id)s, %(node_id)s, 'third_party', gen_random_uuid(), 'read')
