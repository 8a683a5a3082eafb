-- Purpose: the first delta of a record. Identifier: schema. Parameters: those of delta/append; the revision is the first. Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id, authored_by, created_at)
VALUES (%(delta_id)s, %(subject_kind)s, %(subject_id)s, coalesce(%(effective_at)s, '-infinity'::timestamptz), %(payload)s, %(previous_delta_id)s, %(authored_by)s, %(known_at)s)
