-- Purpose: a run that waits for its time may begin now. Parameters: job. Returns: nothing.
UPDATE _queue.procrastinate_jobs SET scheduled_at = NULL
WHERE queueing_lock = %(job)s AND status = 'todo' AND scheduled_at IS NOT NULL
