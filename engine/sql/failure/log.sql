-- Purpose: notes what failed for good; where it is open already, one more attempt.
-- Parameters: session_id (or null), stage, cause, detail, subject, reference, now. Returns: nothing of use.
SELECT engine.log_failure(%(session_id)s, %(stage)s, %(cause)s, %(detail)s, %(subject)s, %(reference)s::jsonb, %(now)s)
