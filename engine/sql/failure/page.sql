-- Purpose: what failed for good, newest first, one page: of the principal's graph, for the service of jobs.
-- Parameters: jobs (whether those of jobs), state (or null), failure_id (or null), before (failure_id or null), limit. Returns: the columns of Failure.
SELECT f.failure_id, f.session_id, f.stage, f.cause, f.detail, f.subject, f.reference, f.attempts, f.first_at, f.last_at, f.state, f.settled_at, f.note
FROM engine.failure_log AS f
WHERE (f.user_id IS NULL) = %(jobs)s AND (%(state)s::text IS NULL OR f.state = %(state)s)
  AND (%(failure_id)s::uuid IS NULL OR f.failure_id = %(failure_id)s)
  AND (%(before)s::uuid IS NULL OR (f.first_at, f.failure_id) <
       (SELECT b.first_at, b.failure_id FROM engine.failure_log AS b WHERE b.failure_id = %(before)s))
ORDER BY f.first_at DESC, f.failure_id DESC LIMIT %(limit)s
