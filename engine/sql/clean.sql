-- name: access
-- Purpose: deletes lines of the access log that are older than a time, and than 30 days. Service only. Parameters: before, limit.
-- Returns: nothing; the count is the driver's.
DELETE FROM engine.access_log WHERE entry_id IN (
    SELECT o.entry_id FROM engine.access_log AS o
    WHERE o.occurred_at < least(%(before)s, statement_timestamp() - interval '30 days') ORDER BY o.occurred_at LIMIT %(limit)s)

-- name: answers
-- Purpose: deletes kept answers of writes that are older than a time. Parameters: before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.idempotency AS i USING (
    SELECT o.user_id, o.key FROM engine.idempotency AS o WHERE o.created_at < %(before)s ORDER BY o.created_at LIMIT %(limit)s
) AS old WHERE i.user_id = old.user_id AND i.key = old.key

-- name: commits
-- Purpose: takes from outbox rows that were finished before a time what is no longer needed: the changes of records, which their rows state,
-- what they mention and state, as their texts do, facts, as their own table does, and the vectors of nodes. A row of which nothing is left is deleted. The rest is kept: lost shells, edges and grants are made again from it.
-- Parameters: before, limit. Returns: commit_id; the count is the driver's.
WITH old AS (
    SELECT d.commit_id, d.kind, d.kinds, d.payload FROM engine.outbox AS d
    WHERE d.state = 'done' AND d.done_at < %(before)s
      AND (d.kinds && ARRAY['records', 'mentions', 'relations', 'facts'] OR 'node' = ANY (d.kinds) AND EXISTS (
          SELECT FROM engine.graph_changes(d.kind, d.payload) AS c WHERE c.kind = 'node' AND c.change -> 'node' ?| ARRAY['embedding', 'embedding_b']))
    ORDER BY d.done_at LIMIT %(limit)s
), rest AS (
    SELECT old.commit_id, (
        SELECT jsonb_agg(CASE c.kind WHEN 'node' THEN jsonb_build_object('kind', c.kind, 'node', (c.change -> 'node')
                             - ARRAY['embedding', 'embedding_version', 'embedding_b', 'embedding_b_version'])
                         ELSE c.change END ORDER BY c.place)
        FROM engine.graph_changes(old.kind, old.payload) AS c
        WHERE c.kind NOT IN ('records', 'mentions', 'relations', 'facts') AND (c.kind <> 'record_revised' OR NOT 'records' = ANY (old.kinds))) AS changes
    FROM old
), shortened AS (
    UPDATE engine.outbox AS o SET kind = r.changes -> 0 ->> 'kind', payload = jsonb_build_object('changes', r.changes)
    FROM rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NOT NULL RETURNING o.commit_id
), deleted AS (
    DELETE FROM engine.outbox AS o USING rest AS r WHERE o.commit_id = r.commit_id AND r.changes IS NULL RETURNING o.commit_id
)
SELECT commit_id FROM shortened UNION ALL SELECT commit_id FROM deleted

-- name: conversations
-- Purpose: forgets ended conversations, whose turns are stored. Parameters: before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.conversations AS c USING (
    SELECT o.user_id, o.source_id FROM engine.conversations AS o
    WHERE o.state = 'ended' AND o.ended_at < %(before)s ORDER BY o.ended_at LIMIT %(limit)s
) AS old WHERE c.user_id = old.user_id AND c.source_id = old.source_id

-- name: queue
-- Purpose: deletes what ended badly from the queue and is older than a time (what succeeded leaves it at once). Parameters: before,
-- limit. Returns: nothing; the count is the driver's.
DELETE FROM _queue.procrastinate_jobs AS q USING (
    SELECT j.id FROM _queue.procrastinate_jobs AS j
    WHERE j.status IN ('succeeded', 'failed', 'cancelled', 'aborted')
      AND NOT EXISTS (SELECT FROM _queue.procrastinate_events AS e WHERE e.job_id = j.id AND e.at >= %(before)s)
    ORDER BY j.id LIMIT %(limit)s
) AS old WHERE q.id = old.id

-- name: runs
-- Purpose: deletes lines of runs that ended before a time, quiet ones before another; the last of each job stays. Parameters: before,
-- quiet_before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.job_runs AS r USING (
    SELECT e.run_id FROM engine.job_runs AS e
    WHERE e.finished_at < CASE WHEN e.quiet THEN %(quiet_before)s::timestamptz ELSE %(before)s END
      AND EXISTS (SELECT FROM engine.job_runs AS later WHERE later.job = e.job AND later.run_id > e.run_id AND later.outcome IS NOT NULL)
    ORDER BY e.run_id LIMIT %(limit)s
) AS old WHERE r.run_id = old.run_id

-- name: sessions
-- Purpose: forgets ingest sessions that ended before a time, with what became of their sources; those that the failure log names
-- stay. Service only. Parameters: before, limit. Returns: nothing; the count is the driver's.
DELETE FROM engine.ingest_sessions AS s USING (
    SELECT o.session_id FROM engine.ingest_sessions AS o
    WHERE o.state <> 'running' AND o.ended_at < %(before)s
      AND NOT EXISTS (SELECT FROM engine.failure_log AS f WHERE f.session_id = o.session_id)
    ORDER BY o.ended_at LIMIT %(limit)s
) AS old WHERE s.session_id = old.session_id AND s.state <> 'running'
