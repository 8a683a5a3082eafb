-- Purpose: the audit log of the principal's graph, newest first, one page. Parameters: before (entry_id or null), limit.
-- Returns: the columns of AccessEntry.
SELECT entry_id, occurred_at, event, node_id, actor_kind, actor_id, subject_kind, subject_id, grant_id, detail, requests,
       coalesce(last_at, occurred_at) AS last_at
FROM engine.access_log WHERE %(before)s::bigint IS NULL OR entry_id < %(before)s
ORDER BY entry_id DESC LIMIT %(limit)s
