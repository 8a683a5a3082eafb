-- Purpose: tries to stage a record of any replay in any user's name: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, replay_id. Returns: nothing.
INSERT INTO engine.replayed_records
    (replay_id, record_id, user_id, node_id, revision, kept, added, ended, summary, keywords, missing)
VALUES (%(replay_id)s, gen_random_uuid(), %(user_id)s, %(node_id)s, 1, 0, 0, 0, false, false, false)
