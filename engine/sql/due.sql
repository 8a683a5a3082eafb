-- name: advance
-- Purpose: how far a node is; where something was noted or moved there meanwhile it begins again. Service only.
-- Parameters: derivation, node_id, before and after (how far it was, and is). Returns: nothing.
UPDATE engine.due SET after = %(after)s WHERE derivation = %(derivation)s AND node_id = %(node_id)s AND after = %(before)s

-- name: claim
-- Purpose: takes records that a model is to read; each is due again after a pause, whatever becomes of this attempt. Service only.
-- Parameters: now, most, first and longest (seconds of the pause: doubled with each attempt, half of it by chance).
-- Returns: record_id, user_id, attempts, node_id (where it lies now) and its schema_name.
WITH due AS (
    SELECT d.record_id FROM engine.due AS d WHERE d.derivation = 'reading' AND d.next_at <= %(now)s
    ORDER BY d.next_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE engine.due AS d
    SET attempts = d.attempts + 1,
        next_at = %(now)s + least(%(longest)s, %(first)s * 2.0 ^ least(d.attempts, 30)) * (0.5 + random() / 2) * interval '1 second'
    FROM due WHERE d.derivation = 'reading' AND d.record_id = due.record_id
    RETURNING d.record_id, d.node_id, d.attempts
)
SELECT t.record_id, n.user_id, t.attempts, n.node_id, n.schema_name
FROM taken AS t
JOIN engine.nodes AS n ON n.node_id = coalesce(
    (SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = t.record_id ORDER BY a.entry_id DESC LIMIT 1), t.node_id)

-- name: failed
-- Purpose: why a record could not be read this time. Service only. Parameters: record_id, reason. Returns: nothing.
UPDATE engine.due SET reason = left(%(reason)s, 600) WHERE derivation = 'reading' AND record_id = %(record_id)s

-- name: nodes
-- Purpose: nodes for which this is due, one page, with how far each is. Service only. Parameters: derivation, after (node_id), most.
-- Returns: node_id, user_id and schema_name (null where the node is not registered), after, since, current (whether its tables have the newest
--   version), closed (whether nothing can be written there now).
SELECT d.node_id, n.user_id, n.schema_name, d.after, d.since, coalesce(n.template_version = engine.template_version(), false) AS current,
       n.state IS DISTINCT FROM 'live' OR EXISTS (SELECT FROM engine.nodes AS a WHERE a.node_id = ANY (n.lineage) AND a.archived) AS closed
FROM engine.due AS d LEFT JOIN engine.nodes AS n USING (node_id)
WHERE d.derivation = %(derivation)s AND d.node_id > %(after)s ORDER BY d.node_id LIMIT %(most)s

-- name: note
-- Purpose: notes that something of these nodes is to be derived. Parameters: derivation, nodes. Returns: nothing of use.
SELECT engine.note_due(%(derivation)s, %(nodes)s::uuid[])

-- name: note_readings
-- Purpose: notes records that a model was to read and has not. Parameters: records, nodes, reasons (of one length), now. Returns: nothing of use.
SELECT engine.note_readings(%(records)s::uuid[], %(nodes)s::uuid[], %(reasons)s::text[], %(now)s)

-- name: settle
-- Purpose: strikes a node off, unless something was noted or moved there meanwhile. Service only.
-- Parameters: derivation, node_id, since and after (as they were when it was looked at). Returns: nothing.
DELETE FROM engine.due WHERE derivation = %(derivation)s AND node_id = %(node_id)s AND since = %(since)s AND after = %(after)s

-- name: settle_reading
-- Purpose: strikes a record off that was read, or that will not be read. Service only. Parameters: record_id. Returns: nothing.
DELETE FROM engine.due WHERE derivation = 'reading' AND record_id = %(record_id)s

-- name: settle_vectors
-- Purpose: strikes a node off where nothing waits for a vector any more. Service only. Parameters: node_id. Returns: settled.
SELECT engine.settle_vectors(%(node_id)s) AS settled

-- name: waiting
-- Purpose: for how many nodes or records something is due, and since when. A note of a node that was not registered, because one of its name was
-- there, waits for nothing: the job removes it after an hour. Service only. Parameters: none. Returns: derivation, waiting, oldest,
--   late (whether that is more than an hour ago).
SELECT d.derivation, count(*) AS waiting, min(d.since) AS oldest, min(d.since) < clock_timestamp() - interval '1 hour' AS late
FROM engine.due AS d JOIN engine.nodes AS n USING (node_id) GROUP BY d.derivation
