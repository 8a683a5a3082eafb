-- Purpose: notes a failed attempt to finish a commit; after so many it is set aside, which is logged. One that waits for another commit
--   is noted without being counted.
-- Parameters: commit_id, failure, pause (seconds to the next attempt), counted (0 or 1), most (attempts). Returns: state.
WITH noted AS (
    UPDATE engine.outbox AS o SET attempts = attempts + %(counted)s::integer, last_failure = %(failure)s,
           retry_at = now() + make_interval(secs => %(pause)s),
           state = CASE WHEN attempts + %(counted)s::integer >= %(most)s::integer THEN 'set_aside' ELSE 'pending' END
    WHERE commit_id = %(commit_id)s AND state = 'pending'
    RETURNING o.commit_id, o.user_id, o.kind, o.state, o.attempts
), logged AS (
    INSERT INTO engine.commit_log (event, commit_id, user_id, kind, actor, detail)
    SELECT 'set_aside', n.commit_id, n.user_id, n.kind, 'recovery', format('%%s attempts: %%s', n.attempts, %(failure)s::text)
    FROM noted AS n WHERE n.state = 'set_aside'
)
SELECT state FROM noted
