-- name: due
-- Purpose: whether commits were finished since the last mark, and writing is not stopped. Service only. Parameters: none. Returns: due.
SELECT i.stopped_because IS NULL
       AND (i.next_generation <> i.generation OR EXISTS (SELECT FROM engine.outbox AS o WHERE o.state = 'done' AND o.done_at > i.marked_at)) AS due
FROM engine.installation AS i

-- name: finish
-- Purpose: says that all stores have the next mark; with `lifted`, writing goes on. Service only. Parameters: lifted. Returns: nothing.
UPDATE engine.installation SET generation = next_generation, mark_id = next_mark_id, marked_at = now(),
       stopped_because = CASE WHEN %(lifted)s THEN NULL ELSE stopped_because END,
       stopped_at = CASE WHEN %(lifted)s THEN NULL ELSE stopped_at END

-- name: insert
-- Purpose: begins the installation: no mark is in all stores yet. Service only. Parameters: installation_id, mark_id, next_generation, next_mark_id.
-- Returns: nothing.
INSERT INTO engine.installation (installation_id, generation, mark_id, next_generation, next_mark_id)
VALUES (%(installation_id)s, 0, %(mark_id)s, %(next_generation)s, %(next_mark_id)s)

-- name: lock
-- Purpose: lets one process at a time compare or renew the marks of the stores; held to the end of the transaction. Parameters: none.
-- Returns: one row, ignored.
SELECT pg_advisory_xact_lock(hashtextextended('neurigraph installation', 0))

-- name: next
-- Purpose: says which mark the stores get next, before they get it. Service only. Parameters: generation, mark_id. Returns: nothing.
UPDATE engine.installation SET next_generation = %(generation)s, next_mark_id = %(mark_id)s

-- name: read
-- Purpose: the mark that Postgres carries, the next one, and why writing is stopped, if it is. Service only. Parameters: none.
-- Returns: the columns of engine.installation, users (whether there are any); no row before the first start.
SELECT i.installation_id, i.generation, i.mark_id, i.next_generation, i.next_mark_id, i.marked_at, i.stopped_because,
       EXISTS (SELECT FROM engine.users) AS users
FROM engine.installation AS i

-- name: stop
-- Purpose: stops writing, or allows it again (reason is null). Service only. Parameters: reason. Returns: nothing.
UPDATE engine.installation SET stopped_because = %(reason)s,
       stopped_at = CASE WHEN %(reason)s::text IS NOT NULL THEN coalesce(stopped_at, now()) END

-- name: tail
-- Purpose: a node or record of the newest commit with any that was finished after the last mark: the graph must know it. Service only.
-- Parameters: none. Returns: subject_id, done_at; no row where nothing was.
SELECT coalesce(c.change -> 'node' ->> 'node_id', c.change -> 'records' -> 0 ->> 'record_id') AS subject_id, newest.done_at
FROM (SELECT o.kind, o.payload, o.done_at FROM engine.outbox AS o JOIN engine.installation AS i ON o.done_at > i.marked_at
      WHERE o.state = 'done' AND o.kinds && ARRAY['node', 'records'] ORDER BY o.done_at DESC LIMIT 1) AS newest,
     engine.graph_changes(newest.kind, newest.payload) AS c
WHERE c.kind = 'node' OR c.kind = 'records' AND jsonb_array_length(c.change -> 'records') > 0
ORDER BY c.place LIMIT 1

-- name: users
-- Purpose: whether this database holds any user. Service only. Parameters: none. Returns: users.
SELECT EXISTS (SELECT FROM engine.users) AS users
