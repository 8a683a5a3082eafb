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

-- name: commits_wait
-- Purpose: whether the graph lacks commits of a user, pending or set aside. Service only. Parameters: user_id. Returns: waits.
SELECT EXISTS (SELECT FROM engine.outbox AS o WHERE o.user_id = %(user_id)s AND o.state IN ('pending', 'set_aside')) AS waits

-- name: failed
-- Purpose: why something could not be made this time. Service only.
-- Parameters: derivation, node_id (null: of any node), record_id (zeros: all of the node), reason, more (attempts). Returns: nothing.
UPDATE engine.due SET reason = left(%(reason)s, 600), attempts = attempts + %(more)s
WHERE derivation = %(derivation)s AND record_id = %(record_id)s AND node_id = coalesce(%(node_id)s, node_id)

-- name: forget
-- Purpose: removes notes of nodes that were never registered, because one of their name was there. Service only.
-- Parameters: derivation. Returns: nothing.
DELETE FROM engine.due AS d
WHERE d.derivation = %(derivation)s AND d.since < clock_timestamp() - interval '1 hour'
  AND NOT EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = d.node_id)

-- name: nodes
-- Purpose: nodes for which this is due, one page, with how far each is, archived ones too; only those whose tables have the newest version. Service only.
-- Parameters: derivation, after (node_id), most.
-- Returns: derivation, node_id, user_id, schema_name, after, since, noted (how often).
SELECT d.derivation, d.node_id, n.user_id, n.schema_name, d.after, d.since, d.noted
FROM engine.due AS d JOIN engine.nodes AS n USING (node_id)
WHERE d.derivation = %(derivation)s AND d.node_id > %(after)s AND n.state = 'live' AND n.template_version = engine.template_version()
ORDER BY d.node_id LIMIT %(most)s

-- name: note
-- Purpose: notes that something of these nodes is to be derived. Parameters: derivation, nodes. Returns: nothing of use.
SELECT engine.note_due(%(derivation)s, %(nodes)s::uuid[])

-- name: note_user
-- Purpose: notes that something of all nodes of a user is to be derived. Service only. Parameters: derivation, user_id. Returns: nothing of use.
SELECT engine.note_due(%(derivation)s, ARRAY(SELECT n.node_id FROM engine.nodes AS n WHERE n.user_id = %(user_id)s))

-- name: note_needing
-- Purpose: notes a node for all that is made from a derivation. Service only. Parameters: need (the derivation), node_id. Returns: nothing of use.
SELECT engine.note_needing(%(need)s, ARRAY[%(node_id)s::uuid])

-- name: note_readings
-- Purpose: notes records that a model was to read and has not. Parameters: records, nodes, reasons (of one length), now. Returns: nothing of use.
SELECT engine.note_readings(%(records)s::uuid[], %(nodes)s::uuid[], %(reasons)s::text[], %(now)s)

-- name: raised
-- Purpose: keeps versions of derivations, and notes all nodes for those whose version rose. Service only.
-- Parameters: names, versions and needs (of one length; the needs of one between spaces), by_node (names of those that are made node by node).
-- Returns: nothing.
WITH raised AS (
    INSERT INTO engine.derivations AS d (name, version, needs)
    SELECT r.name, r.version, string_to_array(r.needs, ' ')
    FROM unnest(%(names)s::text[], %(versions)s::integer[], %(needs)s::text[]) AS r (name, version, needs) ORDER BY r.name
    ON CONFLICT (name) DO UPDATE SET version = excluded.version, needs = excluded.needs, raised_at = excluded.raised_at WHERE d.version < excluded.version
    RETURNING d.name
)
INSERT INTO engine.due AS d (derivation, node_id)
SELECT r.name, n.node_id FROM raised AS r CROSS JOIN engine.nodes AS n WHERE r.name = ANY (%(by_node)s::text[]) ORDER BY r.name, n.node_id
ON CONFLICT (derivation, node_id, record_id) DO UPDATE SET after = excluded.after, noted = d.noted + 1

-- name: settle
-- Purpose: strikes a node off, unless something was noted or moved there meanwhile. Service only.
-- Parameters: derivation, node_id, since and noted (how often, when it was looked at). Returns: node_id, where it was struck off.
DELETE FROM engine.due WHERE derivation = %(derivation)s AND node_id = %(node_id)s AND since = %(since)s AND noted = %(noted)s RETURNING node_id

-- name: settle_reading
-- Purpose: strikes a record off that was read, or that will not be read. Service only. Parameters: record_id. Returns: nothing.
DELETE FROM engine.due WHERE derivation = 'reading' AND record_id = %(record_id)s

-- name: settle_vectors
-- Purpose: marks the records of a node as complete where nothing waits for a vector any more. Service only. Parameters: node_id. Returns: settled.
SELECT engine.settle_vectors(%(node_id)s) AS settled

-- name: users
-- Purpose: those of these users at a node of whom something is due. Service only. Parameters: derivation, users. Returns: user_id.
SELECT DISTINCT n.user_id FROM engine.due AS d JOIN engine.nodes AS n USING (node_id)
WHERE d.derivation = %(derivation)s AND n.user_id = ANY (%(users)s::uuid[])

-- name: waiting
-- Purpose: for how many nodes or records something is due, since when, and why not yet. A note of a node that was not registered waits for nothing.
-- Service only. Parameters: none. Returns: derivation, version, waiting, records (whether it is records that wait), oldest, age,
--   reason (of the one that failed most often; empty where none failed).
SELECT d.derivation, v.version, count(*) AS waiting, bool_or(d.record_id <> '00000000-0000-0000-0000-000000000000') AS records,
       min(d.since) AS oldest, clock_timestamp() - min(d.since) AS age,
       coalesce((array_agg(d.reason ORDER BY d.attempts DESC, d.since) FILTER (WHERE d.reason <> ''))[1], '') AS reason
FROM engine.due AS d JOIN engine.derivations AS v ON v.name = d.derivation JOIN engine.nodes AS n USING (node_id)
GROUP BY d.derivation, v.version
