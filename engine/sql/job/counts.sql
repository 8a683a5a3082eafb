-- Purpose: how often each job ran and failed, and whether a run is under way or waits. Parameters: jobs (names).
-- Returns: job, runs, failures, running, waiting; one row a job.
SELECT n.job, coalesce(t.runs, 0) AS runs, coalesce(t.failures, 0) AS failures,
       EXISTS (SELECT FROM _queue.procrastinate_jobs AS q WHERE q.task_name = n.job AND q.status = 'doing') AS running,
       EXISTS (SELECT FROM _queue.procrastinate_jobs AS q WHERE q.task_name = n.job AND q.status = 'todo') AS waiting
FROM unnest(%(jobs)s::text[]) AS n (job) LEFT JOIN engine.job_totals AS t ON t.job = n.job
