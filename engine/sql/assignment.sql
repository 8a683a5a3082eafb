-- name: insert
-- Purpose: keeps why records go where they go, in the transaction that writes them. Parameters: user_id, author, now, lines (json array of
--   {record_id, node_id, title, confidence, decided_by, created_node, reasons}). Returns: nothing.
INSERT INTO engine.assignments (user_id, record_id, node_id, title, confidence, decided_by, created_node, reasons, author, decided_at)
SELECT %(user_id)s::uuid, l.record_id, l.node_id, l.title, l.confidence, l.decided_by, l.created_node, l.reasons, %(author)s::text, %(now)s::timestamptz
FROM jsonb_to_recordset(%(lines)s::jsonb) AS l (record_id uuid, node_id uuid, title text, confidence real, decided_by text,
                                         created_node boolean, reasons jsonb)

-- name: moves_for_reason
-- Purpose: the moves of a user's records that were made for one reason, and whether each is its record's newest decision.
-- Parameters: user_id, reason, limit. Returns: record_id, node_id, moved_from, title, newest.
SELECT a.record_id, a.node_id, a.moved_from, a.title,
       NOT EXISTS (SELECT FROM engine.assignments AS later WHERE later.record_id = a.record_id AND later.entry_id > a.entry_id) AS newest
FROM engine.assignments AS a
WHERE a.user_id = %(user_id)s AND a.moved_from IS NOT NULL AND a.reasons ->> 'reason' = %(reason)s
ORDER BY a.entry_id
LIMIT %(limit)s

-- name: page
-- Purpose: the decisions by which the records of a graph lie where they do, newest first, one page; for its user. Parameters: user_id,
--   record_id (null: all; with one, its earlier decisions too), node_id (null: all), below (confidence, or null), decided_by (or null),
--   before (entry_id of the last line of the page before, or null), limit. Returns: the columns of Assignment,
--   with the title that the record has now.
SELECT a.entry_id, a.record_id, a.node_id, engine.record_title(a.record_id, a.node_id) AS title, round(a.confidence::numeric, 3)::float8 AS confidence, a.decided_by, a.created_node, a.moved_from,
       a.reasons, a.author, a.decided_at
FROM engine.assignments AS a
WHERE a.user_id = %(user_id)s AND (%(record_id)s::uuid IS NULL OR a.record_id = %(record_id)s)
  AND (%(node_id)s::uuid IS NULL OR a.node_id = %(node_id)s)
  AND (%(below)s::real IS NULL OR a.confidence < %(below)s) AND (%(decided_by)s::text IS NULL OR a.decided_by = %(decided_by)s)
  AND (%(before)s::bigint IS NULL OR a.entry_id < %(before)s)
  AND (%(record_id)s::uuid IS NOT NULL
       OR NOT EXISTS (SELECT FROM engine.assignments AS later WHERE later.record_id = a.record_id AND later.entry_id > a.entry_id))
ORDER BY a.entry_id DESC LIMIT %(limit)s

-- name: proposal_known
-- Purpose: whether a user has made a proposal of nodes. Parameters: user_id, proposal_id. Returns: known.
SELECT EXISTS (SELECT FROM engine.hierarchy_log AS l
               WHERE l.user_id = %(user_id)s AND l.event = 'proposed' AND l.detail ->> 'proposal_id' = %(proposal_id)s::text) AS known
