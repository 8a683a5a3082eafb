-- Purpose: appends a change to the node's delta log. Identifier: schema. Parameters: the columns. Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id, authored_by, created_at)
VALUES (%(delta_id)s, %(subject_kind)s, %(subject_id)s, %(now)s, %(payload)s, %(previous_delta_id)s, %(authored_by)s, %(now)s)
