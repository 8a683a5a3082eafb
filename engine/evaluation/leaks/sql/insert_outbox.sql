-- Purpose: tries to commit a record, a change, or an unknown kind, to any node of any user: for the leak fuzzer, rolled back.
-- Parameters: user_id, kind, claimed (the user that the payload names), node_id. Returns: nothing.
INSERT INTO engine.outbox (commit_id, user_id, kind, payload)
VALUES (gen_random_uuid(), %(user_id)s, %(kind)s, jsonb_build_object(
            'records', jsonb_build_array(jsonb_build_object('user_id', %(claimed)s::text, 'node_id', %(node_id)s::text)),
            'revision', jsonb_build_object('user_id', %(claimed)s::text, 'node_id', %(node_id)s::text)))
