-- Purpose: the last run of each job that ended. Parameters: jobs (names). Returns: the columns of a run, at most one row a job.
SELECT r.run_id, r.job, r.outcome, r.cause, r.attempt, r.started_at, r.finished_at,
       extract(epoch FROM r.finished_at - r.started_at)::float8 AS duration_s, r.report, r.failure
FROM unnest(%(jobs)s::text[]) AS n (job)
CROSS JOIN LATERAL (SELECT * FROM engine.job_runs AS j WHERE j.job = n.job AND j.outcome IS NOT NULL ORDER BY j.run_id DESC LIMIT 1) AS r
