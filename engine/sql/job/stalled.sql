-- Purpose: runs under way whose worker gives no sign of life, or that are long past their time limit. Parameters: silent_s, overdue_s
-- (seconds), limit. Returns: run_id, job, attempt.
SELECT q.id AS run_id, q.task_name AS job, coalesce((q.args ->> 'attempt')::integer, 1) AS attempt
FROM _queue.procrastinate_jobs AS q LEFT JOIN _queue.procrastinate_workers AS w ON w.id = q.worker_id
WHERE q.status = 'doing'
  AND (w.id IS NULL OR w.last_heartbeat < now() - make_interval(secs => %(silent_s)s)
       OR (SELECT max(e.at) FROM _queue.procrastinate_events AS e WHERE e.job_id = q.id AND e.type = 'started')
          < now() - make_interval(secs => %(overdue_s)s))
ORDER BY q.id LIMIT %(limit)s
