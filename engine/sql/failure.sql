-- name: log
-- Purpose: notes what failed for good; where it is open already, one more attempt.
-- Parameters: session_id (or null), stage, cause, detail, subject, reference, now. Returns: nothing of use.
SELECT engine.log_failure(%(session_id)s, %(stage)s, %(cause)s, %(detail)s, %(subject)s, %(reference)s::jsonb, %(now)s)

-- name: page
-- Purpose: what failed for good, newest first, one page: of the principal's graph, for the service of jobs.
-- Parameters: jobs (whether those of jobs), state (or null), failure_id (or null), before (failure_id or null), limit. Returns: the columns of Failure.
SELECT f.failure_id, f.session_id, f.stage, f.cause, f.detail, f.subject, f.reference, f.attempts, f.first_at, f.last_at, f.state, f.settled_at, f.note
FROM engine.failure_log AS f
WHERE (f.user_id IS NULL) = %(jobs)s AND (%(state)s::text IS NULL OR f.state = %(state)s)
  AND (%(failure_id)s::uuid IS NULL OR f.failure_id = %(failure_id)s)
  AND (%(before)s::uuid IS NULL OR (f.first_at, f.failure_id) <
       (SELECT b.first_at, b.failure_id FROM engine.failure_log AS b WHERE b.failure_id = %(before)s))
ORDER BY f.first_at DESC, f.failure_id DESC LIMIT %(limit)s

-- name: settle
-- Purpose: settles a failure, once. Parameters: failure_id, state (replayed or dismissed), note, now. Returns: nothing of use.
SELECT engine.settle_failure(%(failure_id)s, %(state)s, %(note)s, %(now)s)
