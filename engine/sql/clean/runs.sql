-- Purpose: deletes lines of runs that ended before a time, quiet ones before another; the last of each job stays. Parameters: before,
-- quiet_before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.job_runs AS r USING (
    SELECT e.run_id FROM engine.job_runs AS e
    WHERE e.finished_at < CASE WHEN e.quiet THEN %(quiet_before)s::timestamptz ELSE %(before)s END
      AND EXISTS (SELECT FROM engine.job_runs AS later WHERE later.job = e.job AND later.run_id > e.run_id AND later.outcome IS NOT NULL)
    ORDER BY e.run_id LIMIT %(limit)s
) AS old WHERE r.run_id = old.run_id
