-- Purpose: the chain of one subject in the order of revisions, one page, for those who may change it.
-- Parameters: node_id, subject_id, after (revision), limit. Returns: the columns of Delta, effective_at null for the beginning.
SELECT delta_id, subject_kind, subject_id, revision, payload ->> 'operation' AS operation, payload -> 'fields' AS fields,
       nullif(w_coordinate, '-infinity') AS effective_at, created_at AS known_at, authored_by AS author,
       coalesce(payload ->> 'reason', '') AS reason
FROM engine.subject_deltas(%(node_id)s, %(subject_id)s, %(after)s::integer, %(limit)s::integer)
