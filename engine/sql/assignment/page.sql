-- Purpose: the decisions by which the records of a graph lie where they do, newest first, one page; for its user. Parameters: user_id,
--   record_id (null: all; with one, its earlier decisions too), node_id (null: all), below (confidence, or null), decided_by (or null),
--   before (entry_id of the last line of the page before, or null), limit. Returns: the columns of Assignment.
SELECT a.entry_id, a.record_id, a.node_id, a.title, round(a.confidence::numeric, 3)::float8 AS confidence, a.decided_by, a.created_node, a.moved_from,
       a.reasons, a.author, a.decided_at
FROM engine.assignments AS a
WHERE a.user_id = %(user_id)s AND (%(record_id)s::uuid IS NULL OR a.record_id = %(record_id)s)
  AND (%(node_id)s::uuid IS NULL OR a.node_id = %(node_id)s)
  AND (%(below)s::real IS NULL OR a.confidence < %(below)s) AND (%(decided_by)s::text IS NULL OR a.decided_by = %(decided_by)s)
  AND (%(before)s::bigint IS NULL OR a.entry_id < %(before)s)
  AND (%(record_id)s::uuid IS NOT NULL
       OR NOT EXISTS (SELECT FROM engine.assignments AS later WHERE later.record_id = a.record_id AND later.entry_id > a.entry_id))
ORDER BY a.entry_id DESC LIMIT %(limit)s
