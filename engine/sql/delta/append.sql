-- Purpose: appends a change to the node's delta log; a chain that went on meanwhile refuses it. Identifier: schema.
-- Parameters: delta_id, subject_kind, subject_id, effective_at (null: from the beginning), payload, previous_delta_id, authored_by,
--   known_at, revision. Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id, authored_by, created_at, revision)
VALUES (%(delta_id)s, %(subject_kind)s, %(subject_id)s, coalesce(%(effective_at)s, '-infinity'::timestamptz), %(payload)s,
        %(previous_delta_id)s, %(authored_by)s, %(known_at)s, %(revision)s)
