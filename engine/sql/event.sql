-- name: insert
-- Purpose: writes an event, once under its id. Parameters: the columns. Returns: the columns of Event, as they are stored.
WITH written AS (
    INSERT INTO engine.event_log
        (event_id, user_id, node_id, kind, content, emotion, intensity, energy, occurred_at, recorded_at, authored_by)
    VALUES (%(event_id)s, %(user_id)s, %(node_id)s, %(kind)s, %(content)s, %(emotion)s, %(intensity)s, %(energy)s, %(occurred_at)s,
            %(recorded_at)s, %(authored_by)s)
    ON CONFLICT (event_id) DO NOTHING
    RETURNING *
), found AS (
    SELECT * FROM written UNION ALL SELECT * FROM engine.event_log WHERE event_id = %(event_id)s
)
SELECT event_id, node_id, kind, content, emotion, round(intensity::numeric, 6)::float8 AS intensity,
       round(energy::numeric, 6)::float8 AS energy, occurred_at, recorded_at, authored_by
FROM found LIMIT 1

-- name: page
-- Purpose: events of a user by when they happened, newest first, one page. Parameters: user_id, kind, node_id (null: any), start, end_at (null: open;
--   start is included), known_at (null: all that is known), before_time, before_id (the last row of the page before, or null), limit.
-- Returns: the columns of Event.
SELECT event_id, node_id, kind, content, emotion, round(intensity::numeric, 6)::float8 AS intensity,
       round(energy::numeric, 6)::float8 AS energy, occurred_at, recorded_at, authored_by
FROM engine.event_log
WHERE user_id = %(user_id)s AND (%(kind)s::text IS NULL OR kind = %(kind)s::text)
  AND (%(node_id)s::uuid IS NULL OR node_id = %(node_id)s::uuid)
  AND occurred_at >= coalesce(%(start)s::timestamptz, '-infinity') AND occurred_at < coalesce(%(end_at)s::timestamptz, 'infinity')
  AND recorded_at <= coalesce(%(known_at)s::timestamptz, 'infinity')
  AND (%(before_time)s::timestamptz IS NULL OR (occurred_at, event_id) < (%(before_time)s, %(before_id)s::uuid))
ORDER BY occurred_at DESC, event_id DESC LIMIT %(limit)s
