-- name: live
-- Purpose: what a scrape of the metrics asks for, of all users together: small tables, partial indexes with a limit, and the planner's
-- estimates; no table that grows with content is scanned. Service only. Parameters: most (rows that are counted of one kind).
-- Returns: figure, label, value; about 50 rows.
WITH queued AS (
    SELECT j.status::text AS status, CASE WHEN j.status = 'todo' AND coalesce(j.scheduled_at, now()) <= now()
           THEN coalesce(j.scheduled_at, (SELECT max(e.at) FROM _queue.procrastinate_events AS e WHERE e.job_id = j.id)) END AS due
    FROM _queue.procrastinate_jobs AS j WHERE j.status IN ('todo', 'doing') LIMIT %(most)s
), awake AS (
    SELECT a.node_id, a.state FROM engine.awake_files AS a LIMIT %(most)s
), pending AS (
    SELECT o.created_at FROM engine.outbox AS o WHERE o.state = 'pending' ORDER BY o.created_at LIMIT %(most)s
), estimates AS (
    SELECT c.relname, c.reltuples::float8 AS rows FROM pg_catalog.pg_class AS c
    WHERE c.oid IN ('engine.nodes'::regclass, 'engine.assignments'::regclass, 'engine.users'::regclass) AND c.reltuples >= 0
)
SELECT 'jobs' AS figure, s.label, (SELECT count(*) FROM queued AS q WHERE q.status = s.status)::float8 AS value
FROM (VALUES ('waiting', 'todo'), ('running', 'doing')) AS s (label, status)
UNION ALL SELECT 'job_oldest_waiting', '', coalesce(extract(epoch FROM now() - min(q.due)), 0)::float8 FROM queued AS q
UNION ALL SELECT 'job_runs', t.job, t.runs::float8 FROM engine.job_totals AS t
UNION ALL SELECT 'job_failures', t.job, t.failures::float8 FROM engine.job_totals AS t
UNION ALL SELECT 'commits', 'pending', count(*)::float8 FROM pending
UNION ALL SELECT 'commit_oldest_pending', '', coalesce(extract(epoch FROM now() - min(p.created_at)), 0)::float8 FROM pending AS p
UNION ALL SELECT 'commits', 'set_aside', count(*)::float8
          FROM (SELECT FROM engine.outbox AS o WHERE o.state = 'set_aside' LIMIT %(most)s) AS o
UNION ALL SELECT 'nodes_awake', s.state, (SELECT count(DISTINCT a.node_id) FROM awake AS a WHERE a.state = s.state)::float8
          FROM (VALUES ('active'), ('rehydrating')) AS s (state)
UNION ALL SELECT 'files_awake', s.state, (SELECT count(*) FROM awake AS a WHERE a.state = s.state)::float8
          FROM (VALUES ('active'), ('rehydrating')) AS s (state)
UNION ALL SELECT 'nodes_pending', '', count(*)::float8
          FROM (SELECT FROM engine.nodes AS n WHERE n.state = 'pending' LIMIT %(most)s) AS n
UNION ALL SELECT 'nodes_without_vectors', '', count(*)::float8 FROM (SELECT FROM engine.due AS d WHERE d.derivation = 'vectors' LIMIT %(most)s) AS v
UNION ALL SELECT 'records_unread', '', count(*)::float8 FROM (SELECT FROM engine.due AS d WHERE d.derivation = 'reading' LIMIT %(most)s) AS u
UNION ALL SELECT CASE e.relname WHEN 'assignments' THEN 'records_estimate' ELSE e.relname || '_estimate' END, '', e.rows
          FROM estimates AS e
