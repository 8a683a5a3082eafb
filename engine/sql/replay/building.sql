-- Purpose: the next replay that is being built. Service only. Parameters: after (replay_id). Returns: replay_id, user_id; none at the end.
SELECT replay_id, user_id FROM engine.replays WHERE state = 'building' AND replay_id > %(after)s ORDER BY replay_id LIMIT 1
