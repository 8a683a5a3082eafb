-- Purpose: ends a replay that is open, and keeps its counts; only one that is built is swapped. Parameters: replay_id, state, now.
-- Returns: replay_id; none where it is over, or not built.
UPDATE engine.replays AS r SET state = %(state)s, ended_at = %(now)s, outcome = engine.replay_counts(r.replay_id)
WHERE r.replay_id = %(replay_id)s AND r.ended_at IS NULL AND (r.state = 'built' OR %(state)s = 'discarded') RETURNING r.replay_id
