-- Purpose: the run of a job that waits in the queue; there is at most one. Parameters: job. Returns: run_id.
SELECT q.id AS run_id FROM _queue.procrastinate_jobs AS q WHERE q.queueing_lock = %(job)s AND q.status = 'todo' LIMIT 1
