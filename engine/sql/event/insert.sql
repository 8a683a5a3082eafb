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
