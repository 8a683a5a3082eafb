-- Purpose: the first deltas of records. Identifier: schema. Parameters: rows (json array of the parameters of delta/append; the revision is the first).
-- Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id, authored_by, created_at)
SELECT r.delta_id, r.subject_kind, r.subject_id, coalesce(r.effective_at, '-infinity'::timestamptz), r.payload, r.previous_delta_id, r.authored_by, r.known_at
FROM jsonb_to_recordset(%(rows)s) AS r (delta_id uuid, subject_kind text, subject_id uuid, effective_at timestamptz, payload jsonb,
                                        previous_delta_id uuid, authored_by text, known_at timestamptz)
