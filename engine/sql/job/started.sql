-- Purpose: notes the beginning of a run. Parameters: run_id, job, cause, attempt, at. Returns: nothing.
INSERT INTO engine.job_runs (run_id, job, cause, attempt, started_at)
VALUES (%(run_id)s, %(job)s, %(cause)s, %(attempt)s, %(at)s) ON CONFLICT (run_id) DO NOTHING
