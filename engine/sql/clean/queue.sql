-- Purpose: deletes what ended badly from the queue and is older than a time (what succeeded leaves it at once). Parameters: before,
-- limit. Returns: nothing; the count is the driver's.
DELETE FROM _queue.procrastinate_jobs AS q USING (
    SELECT j.id FROM _queue.procrastinate_jobs AS j
    WHERE j.status IN ('succeeded', 'failed', 'cancelled', 'aborted')
      AND NOT EXISTS (SELECT FROM _queue.procrastinate_events AS e WHERE e.job_id = j.id AND e.at >= %(before)s)
    ORDER BY j.id LIMIT %(limit)s
) AS old WHERE q.id = old.id
