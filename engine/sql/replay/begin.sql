-- Purpose: begins a replay unless one of the user is open. Parameters: replay_id, user_id, now. Returns: replay_id of the open one.
INSERT INTO engine.replays AS r (replay_id, user_id, began_at, total)
VALUES (%(replay_id)s, %(user_id)s, %(now)s, engine.records_there(%(user_id)s))
ON CONFLICT (user_id) WHERE ended_at IS NULL DO UPDATE SET state = r.state RETURNING r.replay_id
