-- Purpose: the chain of one subject in the order of revisions, one page, for those who may change it.
-- Parameters: node_id, subject_id, after (revision), limit. Returns: the columns of engine.subject_deltas, effective_at null for the beginning.
SELECT delta_id, subject_kind, subject_id, revision, nullif(w_coordinate, '-infinity') AS effective_at, payload, authored_by, created_at
FROM engine.subject_deltas(%(node_id)s, %(subject_id)s, %(after)s::integer, %(limit)s::integer)
