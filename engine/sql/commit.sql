-- name: accept
-- Purpose: accepts a commit: enters its changes of the graph in the outbox. Parameters: commit_id, user_id, changes. Returns: nothing of use.
SELECT engine.accept_commit(%(commit_id)s, %(user_id)s, %(changes)s)

-- name: all_set_aside
-- Purpose: commits that are set aside, oldest first, one page. Service only. Parameters: workspace, user_id (null: of all its users), after
--   (the last commit of the page before, or null), since and last (its time and id, or null), limit.
-- A damaged payload is listed, too: paths of jsonb are lax. Returns: commit_id, user_id, handle, kind, subject (names of what it writes), created_at, attempts, cause, waits_for (commits).
SELECT o.commit_id, o.user_id, u.handle, o.kind, o.created_at, o.attempts, coalesce(o.last_failure, '') AS cause,
       (SELECT left(string_agg(coalesce(r ->> 'name', r ->> 'title', r -> 'own' ->> 'name', r -> 'own' ->> 'title', r ->> 'edge_type',
                                        r ->> 'grant_id', r ->> 'record_id', r ->> 'node_id'), ', ' ORDER BY c.place), 200)
        FROM engine.graph_changes(o.kind, o.payload) AS c, jsonb_path_query(c.change, '$.*[*] ? (@.type() == "object")') AS r) AS subject,
       ARRAY(SELECT engine.commits_before(o.commit_id)) AS waits_for
FROM engine.outbox AS o JOIN engine.users AS u USING (user_id) JOIN engine.workspaces AS w USING (workspace_id)
WHERE o.state = 'set_aside' AND w.name = %(workspace)s AND (%(user_id)s::uuid IS NULL OR o.user_id = %(user_id)s::uuid)
  AND (%(after)s::uuid IS NULL OR (o.created_at, o.commit_id) > (
      SELECT a.created_at, a.commit_id FROM engine.outbox AS a WHERE a.commit_id = %(after)s::uuid))
  AND (%(since)s::timestamptz IS NULL OR (o.created_at, o.commit_id) > (%(since)s::timestamptz, %(last)s::uuid))
ORDER BY o.created_at, o.commit_id LIMIT %(limit)s

-- name: attempted
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

-- name: before
-- Purpose: the unfinished commits that have to be finished before this one. Service only. Parameters: commit_id. Returns: commit_id.
SELECT commit_id FROM engine.commits_before(%(commit_id)s) AS b (commit_id) LIMIT 100

-- name: counts
-- Purpose: how many commits are set aside, and since when the oldest. Service only. Parameters: none. Returns: commits, oldest, failure (one cause).
SELECT count(*) AS commits, min(created_at) AS oldest, max(last_failure) AS failure FROM engine.outbox WHERE state = 'set_aside'

-- name: discard
-- Purpose: discards a commit that is set aside and undoes what it wrote. Service only. Parameters: commit_id, actor, reason. Returns: nothing of use.
SELECT engine.discard_commit(%(commit_id)s, %(actor)s::text, %(reason)s::text)

-- name: finish
-- Purpose: makes a commit visible (node or records live, outbox row done); repeating it changes nothing.
-- Parameters: commit_id. Returns: done (false when there is no such commit for this principal).
SELECT engine.finish_commit(%(commit_id)s) AS done

-- name: hold_writes
-- Purpose: lets a write of a user begin, as the service: it waits for a step of a forgetting, and the next step for it. Before any lock of a row.
-- Parameters: user_id. Returns: nothing of use.
SELECT engine.hold_writes(%(user_id)s)

-- name: locked
-- Purpose: waits for the lock on a commit, then locks it if it is not finished. Service only.
-- Parameters: commit_id. Returns: kind, payload, state, cause; none when it is done, discarded or unknown.
SELECT kind, payload, state, coalesce(last_failure, '') AS cause FROM engine.outbox
WHERE commit_id = %(commit_id)s AND state IN ('pending', 'set_aside') FOR UPDATE

-- name: payload
-- Purpose: the changes of the graph of an accepted commit, for a repeated request. Parameters: user_id, commit_id.
-- Returns: kind, payload; or no row.
SELECT o.kind, o.payload FROM engine.outbox AS o WHERE o.user_id = %(user_id)s AND o.commit_id = %(commit_id)s

-- name: pending
-- Purpose: commits that a crash or a stopped store left half way, least failed and oldest first.
-- Parameters: older_than (seconds), due_only (whether those that wait for their next attempt are left out), limit. Returns: commit_id.
SELECT commit_id FROM engine.outbox
WHERE state = 'pending' AND created_at <= now() - make_interval(secs => %(older_than)s)
  AND (retry_at <= now() OR NOT %(due_only)s)
ORDER BY attempts, created_at LIMIT %(limit)s

-- name: retried
-- Purpose: has a commit that is set aside tried again from the beginning, which is logged. Service only. Parameters: workspace, user_id (null:
--   any of its users), commit_id, actor. Returns: commit_id; none where no such commit is set aside.
WITH taken AS (
    UPDATE engine.outbox AS o SET state = 'pending', attempts = 0, retry_at = now()
    FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id)
    WHERE o.commit_id = %(commit_id)s AND o.state = 'set_aside' AND u.user_id = o.user_id AND w.name = %(workspace)s
      AND (%(user_id)s::uuid IS NULL OR o.user_id = %(user_id)s::uuid)
    RETURNING o.commit_id, o.user_id, o.kind
), logged AS (
    INSERT INTO engine.commit_log (event, commit_id, user_id, kind, actor)
    SELECT 'retried', t.commit_id, t.user_id, t.kind, %(actor)s FROM taken AS t
)
SELECT commit_id FROM taken

-- name: state
-- Purpose: how a commit stands. Service only. Parameters: commit_id. Returns: state, attempts, cause; none where it is unknown.
SELECT state, attempts, coalesce(last_failure, '') AS cause FROM engine.outbox WHERE commit_id = %(commit_id)s

-- name: taken
-- Purpose: takes a pending commit to finish it; none when another worker holds it or it is done. Service only.
-- Parameters: commit_id. Returns: kind, payload.
SELECT kind, payload FROM engine.outbox WHERE commit_id = %(commit_id)s AND state = 'pending' FOR UPDATE SKIP LOCKED

-- name: to_discard
-- Purpose: holds a commit that is set aside while it is discarded. Service only. Parameters: workspace, user_id (null: any of its users), commit_id.
-- Returns: kind, payload, user_id; none where no such commit is set aside.
SELECT o.kind, o.payload, o.user_id FROM engine.outbox AS o JOIN engine.users AS u USING (user_id) JOIN engine.workspaces AS w USING (workspace_id)
WHERE o.commit_id = %(commit_id)s AND o.state = 'set_aside' AND w.name = %(workspace)s
  AND (%(user_id)s::uuid IS NULL OR o.user_id = %(user_id)s::uuid)
FOR UPDATE OF o
