-- name: accept_entries
-- Purpose: accepts that files of a node have no line in its manifest, which is logged; their records stay. Service only. Parameters: node_id.
-- Returns: records (their ids).
SELECT engine.accept_entries(%(node_id)s::uuid) AS records

-- name: accept_files
-- Purpose: accepts that files of a node are lost, which is logged. Service only. Parameters: node_id, files (uuid[]). Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, subject)
SELECT 'file-lost', %(node_id)s::uuid, f.file_id::text FROM unnest(%(files)s::uuid[]) AS f (file_id)

-- name: accept_inputs
-- Purpose: after a loss at a node was accepted: what came in for it stays as raw input, though no manifest there knows its file, which is logged.
--   Service only. Identifier: schema. Parameters: node_id. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, subject)
SELECT 'input-kept', r.node_id, r.resource_id::text FROM engine.raw_resources AS r
WHERE r.node_id = %(node_id)s AND NOT EXISTS (SELECT FROM {schema}.file_manifest AS f WHERE f.file_id = r.resource_id)

-- name: accept_note
-- Purpose: logs that a loss at a node was accepted. Service only. Parameters: kind, node_id, detail. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, detail) VALUES (%(kind)s, %(node_id)s, %(detail)s)

-- name: accept_sources
-- Purpose: accepts that it is unknown how far sources of a node were stored. Service only. Parameters: node_id. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, subject)
SELECT 'source-lost', %(node_id)s::uuid, l.source_id FROM engine.lost_sources(%(node_id)s::uuid) AS l

-- name: accept_texts
-- Purpose: takes the present texts of a node's items for the right ones, which is logged. Service only. Parameters: node_id. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, detail)
SELECT 'text-changed', %(node_id)s::uuid, engine.accept_texts(%(node_id)s::uuid) || ' items'

-- name: counted
-- Purpose: how many items these records have. Identifier: schema. Parameters: records (uuid[]). Returns: record_id, items.
SELECT r.record_id, (SELECT count(*) FROM {schema}.memory_items AS i
                     WHERE i.record_id = r.record_id AND i.version_of IS NULL AND i.category <> 'whole') AS items
FROM {schema}.metadata_records AS r WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.state = 'live'

-- name: deltas
-- Purpose: fills the gaps of a node's log of changes. Service only. Parameters: node_id. Returns: filled.
SELECT engine.mend_deltas(%(node_id)s) AS filled

-- name: entries
-- Purpose: enters files of a node into its manifest again. Service only. Parameters: node_id, paths, sizes (bytes of the objects).
-- Returns: left (those in no raw input, or without their object).
SELECT engine.mend_entries(%(node_id)s, %(paths)s::text[], %(sizes)s::bigint[]) AS left

-- name: entries_lost
-- Purpose: files of a node without a line in its manifest, that are in a raw input. Service only. Parameters: node_id. Returns: storage_path.
SELECT DISTINCT l.storage_path FROM engine.lost_entries(%(node_id)s) AS l WHERE l.known ORDER BY l.storage_path LIMIT 100000

-- name: grants
-- Purpose: the grants in force on a node, in the form in which they are applied in the graph. Service only. Parameters: node_id. Returns: line.
SELECT jsonb_build_object(
           'grant_id', g.grant_id, 'node_id', g.node_id, 'subject_id', g.subject_id, 'subject_kind', g.subject_kind, 'mode', g.mode,
           'depth', g.depth, 'fields', g.fields, 'expires_at', to_char(g.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           'granted_at', to_char(g.granted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) AS line
FROM engine.grants AS g WHERE g.node_id = %(node_id)s AND g.revoked_at IS NULL LIMIT 10000

-- name: lines
-- Purpose: the live records of a node, one page. Identifier: schema. Parameters: after (record id), limit. Returns: record_id.
SELECT record_id FROM {schema}.metadata_records
WHERE state = 'live' AND version_of IS NULL AND record_id > %(after)s ORDER BY record_id LIMIT %(limit)s

-- name: node
-- Purpose: a node as the registry has it, for its shell. Service only. Parameters: node_id.
-- Returns: node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, created_at, graph_part (the graph's part of its first commit, where
--   that is still kept).
SELECT n.node_id, n.user_id, n.parent_id, n.name, n.name_key, n.node_type, n.layer, n.schema_name, n.created_at,
       engine.node_made(n.user_id, n.node_id) AS graph_part
FROM engine.nodes AS n
WHERE n.node_id = %(node_id)s AND n.state = 'live'

-- name: sources
-- Purpose: restores lost entries of sources of a node. Service only. Parameters: node_id. Returns: left (those that stay unknown).
SELECT engine.mend_sources(%(node_id)s) AS left

-- name: tables
-- Purpose: gives a node the tables, columns and rights that it lacks. Service only. Parameters: node_id. Returns: nothing of use.
SELECT engine.mend_node_tables(%(node_id)s)

-- name: vectors
-- Purpose: has lost vectors of a node made. Service only. Parameters: node_id. Returns: nothing of use.
SELECT engine.mend_vectors(%(node_id)s)
