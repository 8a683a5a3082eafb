-- name: begin
-- Purpose: begins a retraction, or goes on with the one of the same subject. Parameters: retraction_id (of a new one), kind, subject, reason, author, now,
--   steps (json array of {node_id, record_id, fact_id}). Returns: retraction_id, refused (null, `undoing` or `elsewhere`).
SELECT b.retraction_id, b.refused FROM engine.begin_retraction(%(retraction_id)s, %(kind)s, %(subject)s, %(reason)s, %(author)s, %(now)s, %(steps)s) AS b

-- name: page
-- Purpose: retractions of the principal's own graph, newest first, one page, or one of them. Parameters: retraction_id (null: not one), before (number;
--   null: from the newest on), limit. Returns: the columns of Retraction.
SELECT r.retraction_id, r.number, r.kind, r.subject, r.reason, r.authored_by, r.retracted_at, r.state, r.undone_at, r.records, r.facts, r.revived,
       r.waiting
FROM engine.retractions_shown(%(retraction_id)s::uuid, %(before)s::bigint, %(limit)s::integer) AS r
ORDER BY r.number DESC LIMIT 1000

-- name: step
-- Purpose: the next step of a retraction, held until the end of the transaction. Parameters: retraction_id. Returns: place, node_id, schema_name, record_id, fact_id
--   (null: the whole record), undone, reason, logged (json array of {role, before}); no row when nothing is left to do.
SELECT s.place, s.node_id, s.schema_name, s.record_id, s.fact_id, s.undone, s.reason, s.logged FROM engine.retraction_step(%(retraction_id)s) AS s
LIMIT 1

-- name: step_end
-- Purpose: ends a step that is held. Parameters: retraction_id, place, facts (json array of {fact_id, role, before}), now. Returns: nothing.
SELECT engine.end_retraction_step(%(retraction_id)s, %(place)s, %(facts)s, %(now)s)

-- name: undo
-- Purpose: says that a retraction is to be undone. Parameters: retraction_id, now. Returns: later (a retraction that is to be undone first, or null).
SELECT engine.undo_retraction(%(retraction_id)s, %(now)s) AS later
