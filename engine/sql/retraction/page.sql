-- Purpose: retractions of the principal's own graph, newest first, one page, or one of them. Parameters: retraction_id (null: not one), before (number;
--   null: from the newest on), limit. Returns: the columns of Retraction.
SELECT r.retraction_id, r.number, r.kind, r.subject, r.reason, r.authored_by, r.retracted_at, r.state, r.undone_at, r.records, r.facts, r.revived,
       r.waiting
FROM engine.retractions_shown(%(retraction_id)s::uuid, %(before)s::bigint, %(limit)s::integer) AS r
ORDER BY r.number DESC LIMIT 1000
