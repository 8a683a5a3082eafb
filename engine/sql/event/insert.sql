-- Purpose: writes an event. Parameters: the columns. Returns: nothing.
INSERT INTO engine.event_log
    (event_id, user_id, node_id, kind, content, emotion, intensity, energy, occurred_at, recorded_at, authored_by)
VALUES (%(event_id)s, %(user_id)s, %(node_id)s, %(kind)s, %(content)s, %(emotion)s, %(intensity)s, %(energy)s, %(occurred_at)s,
        %(recorded_at)s, %(authored_by)s)
