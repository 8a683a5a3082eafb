-- name: active_count
-- Purpose: how many embedding versions are active; one has to be. Service only. Parameters: none. Returns: active.
SELECT count(*) AS active FROM engine.embedding_versions WHERE status = 'active'

-- name: built
-- Purpose: notes that nothing was left to do for a version. Service only. Parameters: name, now. Returns: nothing.
UPDATE engine.embedding_versions SET built_at = %(now)s WHERE name = %(name)s AND slot IS NOT NULL

-- name: canary
-- Purpose: starts a canary, or finds it; its slot is taken from the archived version. Service only.
-- Parameters: name, provider, model, dimension, compression. Returns: one row, ignored; NG409 where there is another canary.
SELECT engine.start_canary(%(name)s, %(provider)s, %(model)s, %(dimension)s, %(compression)s)

-- name: compared
-- Purpose: keeps how a version compares with the active one. Service only. Parameters: name, comparison. Returns: nothing.
UPDATE engine.embedding_versions SET comparison = %(comparison)s WHERE name = %(name)s

-- name: drop
-- Purpose: takes its slot from a version that is not active. Service only. Parameters: name. Returns: one row, ignored.
SELECT engine.drop_embeddings(%(name)s)

-- name: progress
-- Purpose: how far a version is, summed over one page of nodes. Service only.
-- Parameters: version, after (node_id), most. Returns: rows_in_all, rows_done, last (node_id, the next page's after; null at the end).
SELECT coalesce(sum(p.rows_in_all), 0)::bigint AS rows_in_all, coalesce(sum(p.rows_done), 0)::bigint AS rows_done,
       (array_agg(p.node_id ORDER BY p.node_id DESC))[1] AS last
FROM engine.embedding_progress(%(version)s, %(after)s::uuid, %(most)s::integer) AS p

-- name: promote
-- Purpose: makes the canary active, in one step. Service only. Parameters: name. Returns: one row, ignored; NG409 where it is none.
SELECT engine.promote_embeddings(%(name)s)

-- name: required
-- Purpose: holds the active embedding version until the transaction ends; refuses one that is not active any more (NG411).
-- Parameters: version. Returns: one row, ignored.
SELECT engine.require_embeddings(%(version)s)

-- name: roll_back
-- Purpose: makes the archived version that still has its slot active again, in one step. Service only.
-- Parameters: none. Returns: name; NG409 where there is none.
SELECT engine.roll_back_embeddings() AS name

-- name: sample_items
-- Purpose: some present items of a node at random, of those that a search finds. Service only. Identifier: schema. Parameters: most. Returns: item_id, content.
SELECT i.item_id, i.content
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE r.state = 'live' AND r.known_to IS NULL AND i.known_to IS NULL AND i.category <> 'whole' AND char_length(i.content) > 20
ORDER BY random() LIMIT %(most)s

-- name: sample_nodes
-- Purpose: some live nodes at random, of all users, to compare embedding versions on. Service only.
-- Parameters: most. Returns: user_id, schema_name.
SELECT user_id, schema_name FROM engine.nodes WHERE state = 'live' AND known_to IS NULL ORDER BY random() LIMIT %(most)s

-- name: slot_clear
-- Purpose: empties a slot of a node that no version holds. Service only.
-- Parameters: node_id, slot. Returns: ready (false where the node is in use: later again).
SELECT engine.clear_slot(%(node_id)s, %(slot)s) AS ready

-- name: slot_hold
-- Purpose: holds a version's slot until the transaction ends; refuses where it lies there no longer (NG411). Service only.
-- Parameters: version, slot. Returns: one row, ignored.
SELECT engine.hold_slot(%(version)s, %(slot)s)

-- name: slot_items
-- Purpose: items without a vector of a version, one page, slices too. Identifiers: schema, embedding_version (the slot).
-- Parameters: version, after (item_id), most. Returns: row_id, kind, session, section, title (of its record), content, content_hash, whole (whether it holds a whole input).
SELECT item_id AS row_id, kind, session, section, content,
       coalesce((SELECT r.title FROM {schema}.metadata_records AS r WHERE r.record_id = i.record_id), '') AS title, content_hash, category = 'whole' AS whole
FROM {schema}.memory_items AS i
WHERE item_id > %(after)s AND {embedding_version} IS DISTINCT FROM %(version)s
ORDER BY item_id LIMIT %(most)s

-- name: slot_items_fill
-- Purpose: gives an item the vector of a version, unless its text has changed meanwhile or it has one. Identifiers: schema,
--   embedding, embedding_version and tokens (the slot). Parameters: row_id, content_hash, embedding, tokens, version. Returns: nothing.
UPDATE {schema}.memory_items SET {embedding} = %(embedding)b, {embedding_version} = %(version)s, {tokens} = %(tokens)s
WHERE item_id = %(row_id)s AND content_hash = %(content_hash)s AND {embedding_version} IS DISTINCT FROM %(version)s

-- name: slot_nodes
-- Purpose: nodes of all users, one page, for the walks over slots. Service only.
-- Parameters: after (node_id), most. Returns: node_id, schema_name.
SELECT node_id, schema_name FROM engine.nodes WHERE node_id > %(after)s ORDER BY node_id LIMIT %(most)s

-- name: slot_prepare
-- Purpose: brings a node's columns to what the embedding versions want. Service only.
-- Parameters: node_id. Returns: ready (false where the node is in use: later again).
SELECT engine.prepare_slots(%(node_id)s) AS ready

-- name: slot_record_items
-- Purpose: the items of records with their vectors of a version. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: records, version. Returns: record_id, content, embedding (single
--   precision in any slot: a prepared statement may not change its type).
SELECT record_id, content, {embedding}::vector AS embedding
FROM {schema}.memory_items
WHERE record_id = ANY (%(records)s) AND version_of IS NULL AND kind IN ('turn', 'chunk') AND {embedding_version} = %(version)s
ORDER BY record_id, position, item_id LIMIT 100000

-- name: slot_records
-- Purpose: records without a vector of a version, one page, slices too. Identifiers: schema, embedding_version (the slot).
-- Parameters: version, after (record_id), most. Returns: row_id, summary, original (never changed, and its
--   summary quotes its items).
SELECT record_id AS row_id, summary, revision = 1 AND version_of IS NULL AND NOT EXISTS (
           SELECT FROM {schema}.memory_items AS i
           WHERE i.record_id = r.record_id AND i.kind NOT IN ('turn', 'chunk') AND i.category <> 'whole') AS original
FROM {schema}.metadata_records AS r
WHERE record_id > %(after)s AND {embedding_version} IS DISTINCT FROM %(version)s
ORDER BY record_id LIMIT %(most)s

-- name: slot_records_fill
-- Purpose: gives a record the vector of a version, unless its summary has changed meanwhile or it has one. Identifiers: schema,
--   embedding and embedding_version (the slot). Parameters: row_id, summary, embedding, version. Returns: nothing.
UPDATE {schema}.metadata_records SET {embedding} = %(embedding)b, {embedding_version} = %(version)s
WHERE record_id = %(row_id)s AND summary = %(summary)s AND {embedding_version} IS DISTINCT FROM %(version)s

-- name: slot_speakers
-- Purpose: who speaks in each session of a node: names that are not embedded. Identifier: schema. Parameters: none.
-- Returns: session, speakers.
SELECT session, array_agg(DISTINCT speaker) AS speakers FROM {schema}.memory_items WHERE speaker <> '' GROUP BY session LIMIT 100000

-- name: slot_tokens
-- Purpose: items that have a vector of a version and no tokens of it, one page, slices too. Identifiers: schema, embedding_version and tokens (the slot).
-- Parameters: version, after (item_id), most. Returns: row_id, kind, session, section, title (of its record), content, content_hash, whole (false: what holds a whole input has none).
SELECT item_id AS row_id, kind, session, section, content,
       coalesce((SELECT r.title FROM {schema}.metadata_records AS r WHERE r.record_id = i.record_id), '') AS title, content_hash, false AS whole
FROM {schema}.memory_items AS i
WHERE item_id > %(after)s AND {embedding_version} = %(version)s AND {tokens} IS NULL AND category <> 'whole'
ORDER BY item_id LIMIT %(most)s

-- name: slot_tokens_fill
-- Purpose: gives an item its tokens by a version, unless its text or its version has changed meanwhile; the vector stays as it is. Identifiers:
--   schema, embedding_version and tokens (the slot). Parameters: row_id, content_hash, tokens, version. Returns: nothing.
UPDATE {schema}.memory_items SET {tokens} = %(tokens)s
WHERE item_id = %(row_id)s AND content_hash = %(content_hash)s AND {embedding_version} = %(version)s AND {tokens} IS NULL

-- name: version_insert
-- Purpose: registers the first embedding version as active; nothing when there is one already.
-- Parameters: name, provider, model, dimension, compression. Returns: nothing.
INSERT INTO engine.embedding_versions (name, provider, model, dimension, compression, status, slot, promoted_at)
VALUES (%(name)s, %(provider)s, %(model)s, %(dimension)s, %(compression)s, 'active', 'a', now()) ON CONFLICT DO NOTHING

-- name: versions
-- Purpose: the embedding versions in the order in which they were made. Parameters: none. Returns: all columns.
SELECT name, provider, model, dimension, compression, status, slot, created_at, promoted_at, archived_at, built_at, comparison
FROM engine.embedding_versions ORDER BY created_at, name LIMIT 1000
