-- Purpose: replays, newest first, one page, or one of them. Parameters: user_id, replay_id (null: any), before (replay_id of the last one of the
--   page before, or null), limit. Returns: the columns of Replay, counts as JSON.
SELECT r.replay_id, r.state, r.began_at, r.ended_at, r.total, coalesce(r.outcome, engine.replay_counts(r.replay_id)) AS counts
FROM engine.replays AS r
WHERE r.user_id = %(user_id)s AND (%(replay_id)s::uuid IS NULL OR r.replay_id = %(replay_id)s::uuid)
  AND (%(before)s::uuid IS NULL OR (r.began_at, r.replay_id) < (
      SELECT b.began_at, b.replay_id FROM engine.replays AS b WHERE b.replay_id = %(before)s::uuid))
ORDER BY r.began_at DESC, r.replay_id DESC LIMIT %(limit)s
