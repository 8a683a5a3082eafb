-- Purpose: ends sessions that gave no sign of life since a time. Service only. Parameters: before, limit. Returns: nothing; the count is the driver's.
UPDATE engine.ingest_sessions AS s
SET state = 'failed', ended_at = s.touched_at, failure = 'The process that carried it out ended; the same ingest again goes on from there.'
WHERE s.session_id IN (SELECT o.session_id FROM engine.ingest_sessions AS o WHERE o.state = 'running' AND o.touched_at < %(before)s
                       ORDER BY o.touched_at LIMIT %(limit)s)
  AND s.state = 'running' AND s.touched_at < %(before)s
