-- name: audience
-- Purpose: the principals that could see a node at a time. Parameters: node_id, at (null is now). Returns: the columns of Viewer.
SELECT subject_kind, subject_id, subject_name, reason, mode, depth, fields, grant_id, past
FROM engine.audience(%(node_id)s, coalesce(%(at)s, clock_timestamp()))

-- name: log_page
-- Purpose: the audit log of the principal's graph, newest first, one page. Parameters: before (entry_id or null), limit.
-- Returns: the columns of AccessEntry.
SELECT entry_id, occurred_at, event, node_id, actor_kind, actor_id, subject_kind, subject_id, grant_id, detail, requests,
       coalesce(last_at, occurred_at) AS last_at
FROM engine.access_log WHERE %(before)s::bigint IS NULL OR entry_id < %(before)s
ORDER BY entry_id DESC LIMIT %(limit)s

-- name: past_whole
-- Purpose: lets this transaction, which changes something, read all of the past of nodes that its principal may write to.
-- Parameters: none. Returns: one row, ignored.
SELECT set_config('engine.whole_past', 'on', true)

-- name: principal_set
-- Purpose: names the principal of this transaction; gone with its end.
-- Parameters: kind, id. Returns: one row, ignored.
SELECT set_config('engine.principal_kind', %(kind)s, true), set_config('engine.principal_id', %(id)s, true)

-- name: reader_set
-- Purpose: names the principal of a transaction that only reads: Postgres refuses it any write, as it does not wait for a forgetting.
-- Parameters: kind, id. Returns: one row, ignored.
SELECT set_config('engine.principal_kind', %(kind)s, true), set_config('engine.principal_id', %(id)s, true), set_config('transaction_read_only', 'on', true)

-- name: refused
-- Purpose: counts a refused request. Parameters: node_id, operation. Returns: nothing of use.
SELECT engine.note_refused(%(node_id)s, %(operation)s)

-- name: writer_set
-- Purpose: names the principal of a transaction that writes, and holds the writes of the user of the graph: a step of a forgetting waits for it, and it for one.
--   Before any lock of a row. Parameters: kind, id, user_id. Returns: one row, ignored.
SELECT set_config('engine.principal_kind', %(kind)s, true), set_config('engine.principal_id', %(id)s, true), engine.hold_writes(%(user_id)s)
