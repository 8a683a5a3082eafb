-- name: ask
-- Purpose: enters a forgetting; nothing where one of the same subject goes on. Service only. Parameters: forgetting_id, user_id, kind, subject, reason, author.
--   Returns: nothing.
INSERT INTO engine.forgettings (forgetting_id, user_id, user_hash, kind, subject, subject_hash, reason, authored_by)
VALUES (%(forgetting_id)s::uuid, %(user_id)s::uuid, engine.tombstone('user', NULL, %(user_id)s::uuid::text), %(kind)s::text, %(subject)s::text,
        engine.tombstone(%(kind)s::text, %(user_id)s::uuid, %(subject)s::text), %(reason)s::text, %(author)s::text)
ON CONFLICT (subject_hash) WHERE state IN ('planned', 'running', 'settling') DO NOTHING

-- name: open
-- Purpose: the forgetting of a subject that is not done. Service only. Parameters: user_id, kind, subject. Returns: forgetting_id; none where there is none.
SELECT f.forgetting_id FROM engine.forgettings AS f
WHERE f.subject_hash = engine.tombstone(%(kind)s::text, %(user_id)s::uuid, %(subject)s::text) AND f.state <> 'done'
ORDER BY f.number DESC LIMIT 1

-- name: page
-- Purpose: forgettings of a user, newest first, one page, or one of them. Service only. Parameters: user_id (null: of the whole installation, for the service
--   itself), forgetting_id (null: not one), before (number; null: from the newest on), limit. Returns: the columns of Forgetting.
SELECT f.forgetting_id, f.number, f.user_id, f.kind, f.subject, f.reason, f.authored_by, f.state, f.step, f.asked_at, f.began_at, f.settles_at, f.ended_at,
       f.failure, f.counts
FROM engine.forgettings AS f
WHERE (%(user_id)s::uuid IS NULL OR f.user_id = %(user_id)s) AND (%(forgetting_id)s::uuid IS NULL OR f.forgetting_id = %(forgetting_id)s)
  AND (%(before)s::bigint IS NULL OR f.number < %(before)s)
ORDER BY f.number DESC LIMIT %(limit)s

-- name: due
-- Purpose: forgettings that wait for somebody to go on, the oldest first: those that were asked for a minute ago, those whose late writers are over,
--   and those that failed a while ago; none of a user who is held. Service only. Parameters: none. Returns: the columns of Forgetting.
SELECT f.forgetting_id, f.number, f.user_id, f.kind, f.subject, f.reason, f.authored_by, f.state, f.step, f.asked_at, f.began_at, f.settles_at, f.ended_at,
       f.failure, f.counts
FROM engine.forgettings AS f
WHERE (f.state IN ('planned', 'running') AND f.asked_at < clock_timestamp() - interval '1 minute'
       OR f.state = 'failed' AND f.ended_at < clock_timestamp() - interval '10 minutes'
       OR f.state = 'settling' AND f.settles_at <= clock_timestamp())
  AND NOT EXISTS (SELECT FROM engine.holds AS h WHERE h.user_id = f.user_id AND h.kind = 'user' AND h.released_at IS NULL)
ORDER BY f.number LIMIT 100

-- name: unfinished
-- Purpose: forgettings that are not done, the oldest first. Service only. Parameters: none. Returns: the columns of Forgetting.
SELECT f.forgetting_id, f.number, f.user_id, f.kind, f.subject, f.reason, f.authored_by, f.state, f.step, f.asked_at, f.began_at, f.settles_at, f.ended_at,
       f.failure, f.counts
FROM engine.forgettings AS f
WHERE f.state <> 'done'
ORDER BY f.number LIMIT 10000

-- name: moved
-- Purpose: takes a forgetting from one step to another, in a state; nothing where another process has taken it further. Service only. Parameters: forgetting_id,
--   from_step, state, step, settle (seconds that late writers are waited for, null outside of `settling`). Returns: nothing.
UPDATE engine.forgettings AS f
SET state = %(state)s::text, step = %(step)s::text, after = NULL, failure = '', ended_at = NULL, receipt = NULL, began_at = coalesce(f.began_at, clock_timestamp()),
    settles_at = CASE WHEN %(state)s::text = 'settling' THEN coalesce(f.settles_at, clock_timestamp() + make_interval(secs => %(settle)s::double precision)) END
WHERE f.forgetting_id = %(forgetting_id)s AND f.step = %(from_step)s AND f.state <> 'done'

-- name: after
-- Purpose: says how far the step of a forgetting is. Service only. Parameters: forgetting_id, after (json). Returns: nothing.
UPDATE engine.forgettings AS f SET after = %(after)s WHERE f.forgetting_id = %(forgetting_id)s AND f.state IN ('running', 'settling')

-- name: so_far
-- Purpose: how far the step of a forgetting is. Service only. Parameters: forgetting_id. Returns: after (json or null).
SELECT f.after FROM engine.forgettings AS f WHERE f.forgetting_id = %(forgetting_id)s

-- name: counted
-- Purpose: adds to the counts of a forgetting, by store and place. Service only. Parameters: forgetting_id, store, counts (json of numbers). Returns: nothing.
UPDATE engine.forgettings AS f
SET counts = f.counts || jsonb_build_object(%(store)s::text, coalesce(f.counts -> %(store)s::text, jsonb_build_object()) || (
        SELECT coalesce(jsonb_object_agg(c.key, coalesce((f.counts -> %(store)s::text ->> c.key)::bigint, 0) + c.value::bigint), jsonb_build_object())
        FROM jsonb_each_text(%(counts)s::jsonb) AS c))
WHERE f.forgetting_id = %(forgetting_id)s AND f.state IN ('running', 'settling')

-- name: failed
-- Purpose: ends a forgetting that cannot go on; the same call takes it up again. Service only. Parameters: forgetting_id, failure. Returns: nothing.
UPDATE engine.forgettings AS f SET state = 'failed', failure = left(%(failure)s::text, 500), ended_at = clock_timestamp()
WHERE f.forgetting_id = %(forgetting_id)s AND f.state IN ('planned', 'running', 'settling')

-- name: locked
-- Purpose: holds a forgetting that is to end: what another process enters for it comes before, or not at all. Service only. Parameters: forgetting_id.
--   Returns: nothing of use.
SELECT f.state FROM engine.forgettings AS f WHERE f.forgetting_id = %(forgetting_id)s FOR UPDATE

-- name: emptied
-- Purpose: takes the names of what was forgotten away, before its forgetting is over. Service only. Parameters: forgetting_id. Returns: nothing.
WITH things AS (
    DELETE FROM engine.forgetting_things AS t WHERE t.forgetting_id = %(forgetting_id)s
)
DELETE FROM engine.forgetting_objects AS o WHERE o.forgetting_id = %(forgetting_id)s

-- name: ended
-- Purpose: ends a forgetting whose names were taken away. Service only. Parameters: forgetting_id, state (done or left), receipt (json). Returns: nothing.
UPDATE engine.forgettings AS f
SET state = %(state)s::text, step = '', after = NULL, receipt = %(receipt)s, ended_at = clock_timestamp(),
    subject = CASE WHEN %(state)s::text = 'done' THEN '' ELSE f.subject END, reason = CASE WHEN %(state)s::text = 'done' THEN '' ELSE f.reason END,
    authored_by = CASE WHEN f.kind = 'user' THEN engine.surrogate_name(f.authored_by) ELSE f.authored_by END,
    user_id = CASE WHEN f.kind = 'user' AND %(state)s::text = 'done' THEN NULL ELSE f.user_id END
WHERE f.forgetting_id = %(forgetting_id)s AND f.state = 'settling'

-- name: receipt
-- Purpose: the receipt of a forgetting. Service only. Parameters: forgetting_id, user_id (null: of any). Returns: receipt (json or null); no row where there is
--   no such forgetting.
SELECT f.receipt FROM engine.forgettings AS f
WHERE f.forgetting_id = %(forgetting_id)s AND (%(user_id)s::uuid IS NULL OR f.user_id = %(user_id)s)

-- name: things_entered
-- Purpose: enters what a forgetting takes with it, unless another process has ended it meanwhile. Service only. Parameters: forgetting_id, user_id, kind, things.
--   Returns: nothing.
INSERT INTO engine.forgetting_things (forgetting_id, kind, hash, thing)
SELECT f.forgetting_id, %(kind)s::text, engine.tombstone(%(kind)s::text, %(user_id)s::uuid, t.thing), t.thing
FROM engine.forgettings AS f CROSS JOIN unnest(%(things)s::text[]) AS t (thing)
WHERE f.forgetting_id = %(forgetting_id)s AND f.state IN ('running', 'settling')
FOR SHARE OF f
ON CONFLICT (forgetting_id, kind, hash) DO NOTHING

-- name: things
-- Purpose: what a forgetting takes with it, of one kind, one page. Service only. Parameters: forgetting_id, kind, after (thing; '': from the first on), limit.
--   Returns: thing.
SELECT t.thing FROM engine.forgetting_things AS t
WHERE t.forgetting_id = %(forgetting_id)s AND t.kind = %(kind)s AND t.thing > %(after)s
ORDER BY t.thing LIMIT %(limit)s

-- name: objects
-- Purpose: objects that a forgetting still has to delete, one page. Service only. Parameters: forgetting_id, limit. Returns: object_key.
SELECT o.object_key FROM engine.forgetting_objects AS o WHERE o.forgetting_id = %(forgetting_id)s AND NOT o.gone ORDER BY o.object_key LIMIT %(limit)s

-- name: objects_gone
-- Purpose: says that objects are deleted. Service only. Parameters: forgetting_id, keys. Returns: nothing.
UPDATE engine.forgetting_objects AS o SET gone = true WHERE o.forgetting_id = %(forgetting_id)s AND o.object_key = ANY (%(keys)s::text[])

-- name: sources_known
-- Purpose: which of these sources a user has, also without a record. Service only. Parameters: user_id, sources. Returns: source_id.
SELECT s.source_id FROM engine.sources AS s WHERE s.user_id = %(user_id)s AND s.source_id = ANY (%(sources)s::text[])
UNION SELECT c.source_id FROM engine.conversations AS c WHERE c.user_id = %(user_id)s AND c.source_id = ANY (%(sources)s::text[])
UNION SELECT d.source_id FROM engine.documents AS d WHERE d.user_id = %(user_id)s AND d.source_id = ANY (%(sources)s::text[])

-- name: record_of_item
-- Purpose: the record of a fact. Service only. Parameters: user_id, fact_id. Returns: record_id.
SELECT f.record_id FROM engine.facts AS f WHERE f.user_id = %(user_id)s AND f.fact_id = %(fact_id)s

-- name: schemas
-- Purpose: the schemas of nodes of a user. Service only. Parameters: user_id, nodes. Returns: node_id, schema_name.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n WHERE n.user_id = %(user_id)s AND n.node_id = ANY (%(nodes)s::uuid[])

-- name: content
-- Purpose: how much records have at a node, all versions counted. Service only. Parameters: records. Returns: items, facts, files, bytes.
SELECT (SELECT count(*) FROM {schema}.memory_items AS i WHERE i.record_id = ANY (%(records)s::uuid[])) AS items,
       (SELECT count(*) FROM engine.facts AS f WHERE f.record_id = ANY (%(records)s::uuid[])) AS facts,
       (SELECT count(*) FROM {schema}.file_manifest AS m WHERE m.record_id = ANY (%(records)s::uuid[])) AS files,
       (SELECT coalesce(sum(m.stored_bytes), 0)::bigint FROM {schema}.file_manifest AS m WHERE m.record_id = ANY (%(records)s::uuid[])) AS bytes

-- name: words
-- Purpose: texts of records at a node, by whose words they are found again. Service only. Parameters: records, limit. Returns: text.
SELECT t.text FROM (
    SELECT i.content AS text FROM {schema}.memory_items AS i WHERE i.record_id = ANY (%(records)s::uuid[])
    UNION ALL SELECT concat_ws(' ', r.title, r.summary) FROM {schema}.metadata_records AS r WHERE r.record_id = ANY (%(records)s::uuid[])) AS t
LIMIT %(limit)s

-- name: rewrite
-- Purpose: writes a table anew without the rows that were deleted, and what the planner keeps of its values. Service only. Parameters: none. Returns: nothing.
VACUUM (FULL, ANALYZE) {schema}.{table}

-- name: vacuum
-- Purpose: takes rows that were deleted out of the pages of a table of all users, and their values out of what the planner keeps. Service only. Parameters: none. Returns: nothing.
VACUUM (ANALYZE) engine.{table}

-- name: user_content
-- Purpose: how much a user has. Service only. Parameters: user_id. Returns: nodes, sources, facts, files, bytes.
SELECT (SELECT count(*) FROM engine.nodes AS n WHERE n.user_id = %(user_id)s) AS nodes,
       (SELECT count(*) FROM engine.sources AS s WHERE s.user_id = %(user_id)s) AS sources,
       (SELECT count(*) FROM engine.facts AS f WHERE f.user_id = %(user_id)s) AS facts,
       (SELECT count(*) FROM engine.raw_resources AS r WHERE r.user_id = %(user_id)s) AS files,
       (SELECT coalesce(sum(r.size_bytes), 0)::bigint FROM engine.raw_resources AS r WHERE r.user_id = %(user_id)s) AS bytes

-- name: hashes_noted
-- Purpose: enters by what the forgotten is found again: hashes alone, unless another process has ended it meanwhile. Service only. Parameters: forgetting_id, kind,
--   hashes. Returns: nothing.
INSERT INTO engine.forgetting_things (forgetting_id, kind, hash)
SELECT f.forgetting_id, %(kind)s::text, h.hash FROM engine.forgettings AS f CROSS JOIN unnest(%(hashes)s::bytea[]) AS h (hash)
WHERE f.forgetting_id = %(forgetting_id)s AND f.state IN ('running', 'settling')
FOR SHARE OF f
ON CONFLICT (forgetting_id, kind, hash) DO NOTHING

-- name: hashes
-- Purpose: by what the forgotten is found again: hashes of these kinds; of none: of all kinds of ids. Service only. Parameters: forgetting_id, kinds, limit.
--   Returns: hash.
SELECT DISTINCT t.hash FROM engine.forgetting_things AS t
WHERE t.forgetting_id = %(forgetting_id)s
  AND CASE WHEN cardinality(%(kinds)s::text[]) > 0 THEN t.kind = ANY (%(kinds)s::text[]) ELSE t.kind NOT IN ('word', 'term', 'place', 'root', 'schema', 'mentioned', 'user') END
ORDER BY t.hash LIMIT %(limit)s

-- name: own_hashes
-- Purpose: the hashes of what is forgotten and of its user. Service only. Parameters: forgetting_id. Returns: subject_hash, user_hash.
SELECT f.subject_hash, f.user_hash FROM engine.forgettings AS f WHERE f.forgetting_id = %(forgetting_id)s

-- name: tombstones
-- Purpose: the tombstones of a forgetting, one page. Service only. Parameters: forgetting_id, after (hash; empty: from the first on), limit. Returns: kind, hash.
SELECT f.kind, f.hash FROM engine.forgotten AS f
WHERE f.forgetting_id = %(forgetting_id)s AND f.hash > %(after)s::bytea
ORDER BY f.hash LIMIT %(limit)s

-- name: users_by_hash
-- Purpose: users by their tombstones, in a home that was restored. Service only. Parameters: hashes. Returns: user_id, hash.
SELECT t.user_id, t.hash
FROM (SELECT u.user_id, engine.tombstone('user', NULL, u.user_id::text) AS hash FROM engine.users AS u) AS t
WHERE t.hash = ANY (%(hashes)s::bytea[])

-- name: sources_page
-- Purpose: ids of the sources of a user, in their order, one page. Service only. Parameters: user_id, after (''; from the first on), limit. Returns: source_id.
SELECT s.source_id FROM (
    (SELECT o.source_id FROM engine.sources AS o WHERE o.user_id = %(user_id)s AND o.source_id > %(after)s ORDER BY o.source_id LIMIT %(limit)s)
    UNION (SELECT c.source_id FROM engine.conversations AS c WHERE c.user_id = %(user_id)s AND c.source_id > %(after)s ORDER BY c.source_id LIMIT %(limit)s)
    UNION (SELECT d.source_id FROM engine.documents AS d WHERE d.user_id = %(user_id)s AND d.source_id > %(after)s ORDER BY d.source_id LIMIT %(limit)s)
) AS s
ORDER BY s.source_id LIMIT %(limit)s

-- name: entered_as_done
-- Purpose: enters a forgetting that was done after the backup from which this home was restored. Service only. Parameters: forgetting_id, user_id (null: the user is
--   gone, or was not there yet), user_hash, kind, subject_hash, asked_by, asked_at, began_at, ended_at, counts, receipt (json). Returns: nothing.
INSERT INTO engine.forgettings (forgetting_id, user_id, user_hash, kind, subject, subject_hash, authored_by, state, asked_at, began_at, settles_at, ended_at, counts, receipt)
VALUES (%(forgetting_id)s::uuid, %(user_id)s::uuid, %(user_hash)s, %(kind)s::text, '', %(subject_hash)s, %(asked_by)s::text, 'done', %(asked_at)s::timestamptz,
        %(began_at)s::timestamptz, %(ended_at)s::timestamptz, %(ended_at)s::timestamptz, %(counts)s::jsonb, %(receipt)s::jsonb)
ON CONFLICT (forgetting_id) DO NOTHING

-- name: tombstones_entered
-- Purpose: enters tombstones of a forgetting that was done after the backup. Service only. Parameters: forgetting_id, user_hash, kinds, hashes (as many).
--   Returns: nothing.
INSERT INTO engine.forgotten (hash, kind, user_hash, forgetting_id)
SELECT t.hash, t.kind, %(user_hash)s, %(forgetting_id)s
FROM unnest(%(kinds)s::text[], %(hashes)s::bytea[]) AS t (kind, hash)
ON CONFLICT (hash) DO NOTHING
