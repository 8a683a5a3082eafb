-- Purpose: one run of a job, whether it waits, is under way or ended. Parameters: job, run_id. Returns: the columns of a run, or no row.
SELECT coalesce(r.run_id, q.id) AS run_id, %(job)s AS job,
       coalesce(r.outcome, CASE q.status WHEN 'todo' THEN 'waiting' WHEN 'doing' THEN 'running' WHEN 'failed' THEN 'failed'
                                         WHEN 'succeeded' THEN 'succeeded' WHEN 'cancelled' THEN 'cancelled' ELSE 'lost' END) AS outcome,
       coalesce(r.cause, q.args ->> 'cause', 'schedule') AS cause, coalesce(r.attempt, (q.args ->> 'attempt')::integer, 1) AS attempt,
       r.started_at, r.finished_at, extract(epoch FROM r.finished_at - r.started_at)::float8 AS duration_s, r.report, r.failure
FROM (SELECT * FROM engine.job_runs WHERE run_id = %(run_id)s AND job = %(job)s) AS r
FULL JOIN (SELECT * FROM _queue.procrastinate_jobs WHERE id = %(run_id)s AND task_name = %(job)s) AS q ON q.id = r.run_id
