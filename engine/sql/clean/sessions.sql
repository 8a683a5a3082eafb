-- Purpose: forgets ingest sessions that ended before a time, with what became of their sources; those that the failure log names
-- stay. Service only. Parameters: before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.ingest_sessions AS s USING (
    SELECT o.session_id FROM engine.ingest_sessions AS o
    WHERE o.state <> 'running' AND o.ended_at < %(before)s
      AND NOT EXISTS (SELECT FROM engine.failure_log AS f WHERE f.session_id = o.session_id)
    ORDER BY o.ended_at LIMIT %(limit)s
) AS old WHERE s.session_id = old.session_id AND s.state <> 'running'
