-- name: append
-- Purpose: appends a change to the node's delta log; a chain that went on meanwhile refuses it. Identifier: schema.
-- Parameters: delta_id, subject_kind, subject_id, effective_at (null: from the beginning), payload, previous_delta_id, authored_by,
--   known_at, revision. Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id, authored_by, created_at, revision)
VALUES (%(delta_id)s, %(subject_kind)s, %(subject_id)s, coalesce(%(effective_at)s, '-infinity'::timestamptz), %(payload)s,
        %(previous_delta_id)s, %(authored_by)s, %(known_at)s, %(revision)s)

-- name: insert
-- Purpose: the first deltas of records. Identifier: schema. Parameters: rows (json array of the parameters of delta/append; the revision is the first).
-- Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id, authored_by, created_at)
SELECT r.delta_id, r.subject_kind, r.subject_id, coalesce(r.effective_at, '-infinity'::timestamptz), r.payload, r.previous_delta_id, r.authored_by, r.known_at
FROM jsonb_to_recordset(%(rows)s) AS r (delta_id uuid, subject_kind text, subject_id uuid, effective_at timestamptz, payload jsonb,
                                        previous_delta_id uuid, authored_by text, known_at timestamptz)

-- name: of_subject
-- Purpose: the chain of one subject in the order of revisions, one page, for those who may change it.
-- Parameters: node_id, subject_id, after (revision), limit. Returns: the columns of Delta, effective_at null for the beginning.
SELECT delta_id, subject_kind, subject_id, revision, payload ->> 'operation' AS operation, payload -> 'fields' AS fields,
       nullif(w_coordinate, '-infinity') AS effective_at, created_at AS known_at, authored_by AS author,
       coalesce(payload ->> 'reason', '') AS reason
FROM engine.subject_deltas(%(node_id)s, %(subject_id)s, %(after)s::integer, %(limit)s::integer)

-- name: subjects_changed
-- Purpose: what changed in a graph, at one node, or of one subject, between two times on either clock; one page by node and subject.
-- Parameters: user_id, node_id, subject_id (or null), from_time, to_time, after_node, after_subject (last of the page before, or null), limit.
-- Returns: node_id, subject_id, subject_kind.
SELECT node_id, subject_id, subject_kind
FROM engine.subjects_changed(%(user_id)s, %(node_id)s::uuid, %(subject_id)s::uuid, %(from_time)s::timestamptz, %(to_time)s::timestamptz,
                                      %(after_node)s::uuid, %(after_subject)s::uuid, %(limit)s::integer)
