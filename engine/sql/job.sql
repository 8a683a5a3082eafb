-- name: counts
-- Purpose: how often each job ran and failed, and whether a run is under way or waits. Parameters: jobs (names).
-- Returns: job, runs, failures, running, waiting; one row a job.
SELECT n.job, coalesce(t.runs, 0) AS runs, coalesce(t.failures, 0) AS failures,
       EXISTS (SELECT FROM _queue.procrastinate_jobs AS q WHERE q.task_name = n.job AND q.status = 'doing') AS running,
       EXISTS (SELECT FROM _queue.procrastinate_jobs AS q WHERE q.task_name = n.job AND q.status = 'todo') AS waiting
FROM unnest(%(jobs)s::text[]) AS n (job) LEFT JOIN engine.job_totals AS t ON t.job = n.job

-- name: finished
-- Purpose: notes the end of a run, once, and counts it; a success settles what its job had failed with for good. Parameters: run_id, outcome, at, quiet, report, failure. Returns: nothing.
WITH ended AS (
    UPDATE engine.job_runs
    SET outcome = %(outcome)s, finished_at = greatest(%(at)s, started_at), quiet = %(quiet)s, report = %(report)s, failure = %(failure)s
    WHERE run_id = %(run_id)s AND outcome IS NULL
    RETURNING job, outcome
), settled AS (
    UPDATE engine.failure_log AS f SET state = 'replayed', settled_at = greatest(%(at)s, f.last_at)
    FROM ended AS e
    WHERE e.outcome = 'succeeded' AND f.user_id IS NULL AND f.stage = 'job' AND f.subject = e.job AND f.state = 'open'
)
INSERT INTO engine.job_totals AS t (job, runs, failures)
SELECT e.job, 1, (e.outcome IN ('failed', 'lost'))::integer FROM ended AS e
ON CONFLICT (job) DO UPDATE SET runs = t.runs + 1, failures = t.failures + excluded.failures

-- name: hurry
-- Purpose: a run that waits for its time may begin now. Parameters: job. Returns: nothing.
UPDATE _queue.procrastinate_jobs SET scheduled_at = NULL
WHERE queueing_lock = %(job)s AND status = 'todo' AND scheduled_at IS NOT NULL

-- name: last_runs
-- Purpose: the last run of each job that ended. Parameters: jobs (names). Returns: the columns of a run, at most one row a job.
SELECT r.run_id, r.job, r.outcome, r.cause, r.attempt, r.started_at, r.finished_at,
       extract(epoch FROM r.finished_at - r.started_at)::float8 AS duration_s, r.report, r.failure
FROM unnest(%(jobs)s::text[]) AS n (job)
CROSS JOIN LATERAL (SELECT * FROM engine.job_runs AS j WHERE j.job = n.job AND j.outcome IS NOT NULL ORDER BY j.run_id DESC LIMIT 1) AS r

-- name: queue_guard
-- Purpose: hides the queue's tables from every role but their owner, also where too much was granted. Not forced on the owner: Postgres
-- would then leave out of an error which key was taken, and the library reads that. Its functions are the owner's alone to call, and
-- find nothing in a temporary schema first. Parameters: none. Returns: nothing.
DO $$
DECLARE
    part record;
BEGIN
    FOR part IN SELECT c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = '_queue' AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE _queue.%I ENABLE ROW LEVEL SECURITY', part.relname);
    END LOOP;
    PERFORM engine.pin_search_paths('_queue', '_queue, pg_catalog');
    REVOKE ALL ON ALL ROUTINES IN SCHEMA _queue FROM PUBLIC;
END $$

-- name: queue_path
-- Purpose: lets the queue's scripts find their own schema, to the end of the transaction. Parameters: none. Returns: nothing.
SET LOCAL search_path TO _queue, pg_catalog

-- name: queue_script_applied
-- Purpose: notes a script of the queue as applied. Parameters: name. Returns: nothing.
INSERT INTO engine.queue_scripts (name) VALUES (%(name)s)

-- name: queue_scripts_applied
-- Purpose: which of the queue's scripts were applied. Parameters: none. Returns: name; at most 1000.
SELECT name FROM engine.queue_scripts ORDER BY name LIMIT 1000

-- name: run
-- Purpose: one run of a job, whether it waits, is under way or ended. Parameters: job, run_id. Returns: the columns of a run, or no row.
SELECT coalesce(r.run_id, q.id) AS run_id, %(job)s AS job,
       coalesce(r.outcome, CASE q.status WHEN 'todo' THEN 'waiting' WHEN 'doing' THEN 'running' WHEN 'failed' THEN 'failed'
                                         WHEN 'succeeded' THEN 'succeeded' WHEN 'cancelled' THEN 'cancelled' ELSE 'lost' END) AS outcome,
       coalesce(r.cause, q.args ->> 'cause', 'schedule') AS cause, coalesce(r.attempt, (q.args ->> 'attempt')::integer, 1) AS attempt,
       r.started_at, r.finished_at, extract(epoch FROM r.finished_at - r.started_at)::float8 AS duration_s, r.report, r.failure
FROM (SELECT * FROM engine.job_runs WHERE run_id = %(run_id)s AND job = %(job)s) AS r
FULL JOIN (SELECT * FROM _queue.procrastinate_jobs WHERE id = %(run_id)s AND task_name = %(job)s) AS q ON q.id = r.run_id

-- name: runs_page
-- Purpose: runs that began, newest first, one page. Parameters: job (null: of all), before (null: from the newest), quiet (also those that
-- found nothing to do), limit. Returns: the columns of a run.
SELECT r.run_id, r.job, coalesce(r.outcome, CASE q.status WHEN 'doing' THEN 'running' ELSE 'lost' END) AS outcome, r.cause, r.attempt,
       r.started_at, r.finished_at, extract(epoch FROM r.finished_at - r.started_at)::float8 AS duration_s, r.report, r.failure
FROM engine.job_runs AS r LEFT JOIN _queue.procrastinate_jobs AS q ON q.id = r.run_id
WHERE (%(job)s::text IS NULL OR r.job = %(job)s) AND (%(before)s::bigint IS NULL OR r.run_id < %(before)s) AND (%(quiet)s OR NOT r.quiet)
ORDER BY r.run_id DESC LIMIT %(limit)s

-- name: stalled
-- Purpose: runs under way whose worker gives no sign of life, or that are long past their time limit. Parameters: silent_s, overdue_s
-- (seconds), limit. Returns: run_id, job, attempt.
SELECT q.id AS run_id, q.task_name AS job, coalesce((q.args ->> 'attempt')::integer, 1) AS attempt
FROM _queue.procrastinate_jobs AS q LEFT JOIN _queue.procrastinate_workers AS w ON w.id = q.worker_id
WHERE q.status = 'doing'
  AND (w.id IS NULL OR w.last_heartbeat < now() - make_interval(secs => %(silent_s)s)
       OR (SELECT max(e.at) FROM _queue.procrastinate_events AS e WHERE e.job_id = q.id AND e.type = 'started')
          < now() - make_interval(secs => %(overdue_s)s))
ORDER BY q.id LIMIT %(limit)s

-- name: started
-- Purpose: notes the beginning of a run. Parameters: run_id, job, cause, attempt, at. Returns: nothing.
INSERT INTO engine.job_runs (run_id, job, cause, attempt, started_at)
VALUES (%(run_id)s, %(job)s, %(cause)s, %(attempt)s, %(at)s) ON CONFLICT (run_id) DO NOTHING

-- name: waiting
-- Purpose: the run of a job that waits in the queue; there is at most one. Parameters: job. Returns: run_id.
SELECT q.id AS run_id FROM _queue.procrastinate_jobs AS q WHERE q.queueing_lock = %(job)s AND q.status = 'todo' LIMIT 1
