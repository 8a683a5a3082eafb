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
