-- Purpose: runs that began, newest first, one page. Parameters: job (null: of all), before (null: from the newest), quiet (also those that
-- found nothing to do), limit. Returns: the columns of a run.
SELECT r.run_id, r.job, coalesce(r.outcome, CASE q.status WHEN 'doing' THEN 'running' ELSE 'lost' END) AS outcome, r.cause, r.attempt,
       r.started_at, r.finished_at, extract(epoch FROM r.finished_at - r.started_at)::float8 AS duration_s, r.report, r.failure
FROM engine.job_runs AS r LEFT JOIN _queue.procrastinate_jobs AS q ON q.id = r.run_id
WHERE (%(job)s::text IS NULL OR r.job = %(job)s) AND (%(before)s::bigint IS NULL OR r.run_id < %(before)s) AND (%(quiet)s OR NOT r.quiet)
ORDER BY r.run_id DESC LIMIT %(limit)s
