-- Purpose: tries to begin a replay in any user's name: for the leak fuzzer, rolled back. Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.replays (replay_id, user_id, state, began_at, ended_at, total, outcome)
VALUES (gen_random_uuid(), %(user_id)s, 'discarded', now(), now(), 0, jsonb_build_object('node', %(node_id)s::text))
