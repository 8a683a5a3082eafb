-- name: columns
-- Purpose: the columns of a table, in their order. Service only. Parameters: place (schema and table, quoted). Returns: name.
SELECT a.attname::text AS name FROM pg_attribute AS a
WHERE a.attrelid = %(place)s::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum

-- name: nodes
-- Purpose: nodes of a user and their schemas, one page. Parameters: user_id, after (node id), limit. Returns: node_id, schema_name.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.node_id > %(after)s AND n.state = 'live' ORDER BY n.node_id LIMIT %(limit)s

-- name: rows_of_user
-- Purpose: rows of a table that name their user, as JSON, one page. Parameters: user_id, after (the place of the last row of the page before, or null), limit.
-- Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT {columns}) AS r)::text AS line, (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE t.user_id = %(user_id)s
  AND (%(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb)))
ORDER BY {key} LIMIT %(limit)s

-- name: rows_of_nodes
-- Purpose: rows of a table that name a node of the user, as JSON, one page. Service only. Parameters: user_id, after (the place of the last row of the page
-- before, or null), limit. Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT {columns}) AS r)::text AS line, (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE t.node_id IN (SELECT n.node_id FROM engine.nodes AS n WHERE n.user_id = %(user_id)s)
  AND (%(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb)))
ORDER BY {key} LIMIT %(limit)s

-- name: rows_of_retractions
-- Purpose: rows of a table that name a withdrawal of the user, as JSON, one page. Service only. Parameters: user_id, after (the place of the last row of the
-- page before, or null), limit. Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT {columns}) AS r)::text AS line, (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE t.retraction_id IN (SELECT n.retraction_id FROM engine.retractions AS n WHERE n.user_id = %(user_id)s)
  AND (%(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb)))
ORDER BY {key} LIMIT %(limit)s

-- name: rows_of_forgettings
-- Purpose: rows of a table that name a forgetting of the user, as JSON, one page. Service only. Parameters: user_id, after (the place of the last row of the
-- page before, or null), limit. Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT {columns}) AS r)::text AS line, (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE t.forgetting_id IN (SELECT n.forgetting_id FROM engine.forgettings AS n WHERE n.user_id = %(user_id)s)
  AND (%(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb)))
ORDER BY {key} LIMIT %(limit)s

-- name: rows_of_grants
-- Purpose: integrations that the user gave a right, as JSON, one page. Service only. Parameters: user_id, after (the place of the last row of the page
-- before, or null), limit. Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT {columns}) AS r)::text AS line, (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE t.integration_id IN (SELECT n.subject_id FROM engine.grants AS n WHERE n.user_id = %(user_id)s)
  AND (%(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb)))
ORDER BY {key} LIMIT %(limit)s

-- name: rows_of_node
-- Purpose: rows of a table of one node, as JSON, one page; the database decides which of them the principal may read. Parameters: node_id, after (the place of
-- the last row of the page before, or null), limit. Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT %(node_id)s::uuid AS node_id, {columns}) AS r)::text AS line,
       (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE %(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb))
ORDER BY {key} LIMIT %(limit)s

-- name: rows_of_part
-- Purpose: rows of a table that name their user and belong to a part of the graph, as JSON, one page. Parameters: user_id, ids (what they belong to), after (the
-- place of the last row of the page before, or null), limit. Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT {columns}) AS r)::text AS line, (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE t.user_id = %(user_id)s AND coalesce({part})::text = ANY (%(ids)s::text[])
  AND (%(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb)))
ORDER BY {key} LIMIT %(limit)s

-- name: rows_of_node_part
-- Purpose: rows of a table of one node that belong to a part of the graph, as JSON, one page. Parameters: node_id, ids (what they belong to), after (the place of
-- the last row of the page before, or null), limit. Returns: line, place.
SELECT (SELECT row_to_json(r) FROM (SELECT %(node_id)s::uuid AS node_id, {columns}) AS r)::text AS line,
       (SELECT row_to_json(r) FROM (SELECT {key}) AS r)::text AS place
FROM {schema}.{table} AS t
WHERE coalesce({part})::text = ANY (%(ids)s::text[])
  AND (%(after)s::jsonb IS NULL OR ({key}) > (SELECT {key} FROM jsonb_populate_record(NULL::{schema}.{table}, %(after)s::jsonb)))
ORDER BY {key} LIMIT %(limit)s

-- name: nodes_below
-- Purpose: a node with all below it. Service only. Parameters: user_id, node_id. Returns: node_id, schema_name.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND %(node_id)s = ANY (n.lineage) AND n.state = 'live' ORDER BY n.layer, n.node_id LIMIT 100000

-- name: nodes_named
-- Purpose: nodes by their ids. Service only. Parameters: user_id, nodes. Returns: node_id, schema_name.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.node_id = ANY (%(nodes)s::uuid[]) AND n.state = 'live' ORDER BY n.layer, n.node_id

-- name: records_at
-- Purpose: the records of a node with the ids of their sources, one page. Service only. Identifier: schema. Parameters: node_id, after (record id), limit.
-- Returns: record_id, node_id, source_id.
SELECT r.record_id, %(node_id)s::uuid AS node_id, r.source_id FROM {schema}.metadata_records AS r
WHERE r.version_of IS NULL AND r.record_id > %(after)s ORDER BY r.record_id LIMIT %(limit)s

-- name: keys_of_sources
-- Purpose: the keys under which sources are kept, also those of personas, of sources as records name them. Service only. Parameters: user_id, sources. Returns: source_id.
SELECT s.source_id FROM engine.sources AS s
WHERE s.user_id = %(user_id)s AND regexp_replace(s.source_id, '^persona:[0-9a-f-]+:', '') = ANY (%(sources)s::text[])

-- name: items_of_records
-- Purpose: the ids of the items of records. Service only. Identifier: schema. Parameters: records. Returns: item_id.
SELECT i.item_id FROM {schema}.memory_items AS i WHERE i.record_id = ANY (%(records)s::uuid[]) AND i.version_of IS NULL

-- name: files_of_node
-- Purpose: where the files of a node lie that the principal may read, one page. Identifier: schema. Parameters: node_id, after (file id), limit.
-- Returns: file_id, record_id, node_id, object_key, packed, sha256.
SELECT f.file_id, f.record_id, %(node_id)s::uuid AS node_id, f.storage_path AS object_key, f.compression_format = 'gzip' AS packed, f.sha256
FROM {schema}.file_manifest AS f WHERE f.file_id > %(after)s ORDER BY f.file_id LIMIT %(limit)s

-- name: inputs
-- Purpose: where what came in lies, one page; for the user of the graph. Parameters: user_id, after (resource id), limit. Returns: file_id, record_id,
-- node_id, object_key, packed, sha256.
SELECT r.resource_id AS file_id, r.record_id, r.node_id, r.object_key, r.packed, r.content_hash AS sha256
FROM engine.raw_resources AS r WHERE r.user_id = %(user_id)s AND r.resource_id > %(after)s ORDER BY r.resource_id LIMIT %(limit)s

-- name: user
-- Purpose: the user of an archive, with the schema of the root. Service only. Parameters: user_id. Returns: user_id, handle, display_name, created_at, root_schema.
SELECT u.user_id, u.handle, u.display_name, u.created_at, n.schema_name AS root_schema
FROM engine.users AS u JOIN engine.nodes AS n ON n.node_id = u.user_id WHERE u.user_id = %(user_id)s AND u.forgotten_at IS NULL

-- name: mark
-- Purpose: what changes whenever something of a user is written, and whether something is under way. Service only. Parameters: user_id. Returns: mark, waiting
-- (commits that are not finished), set_aside, forgetting (one that is not over).
SELECT jsonb_build_array(
           (SELECT jsonb_build_array(max(o.created_at), max(o.done_at)) FROM engine.outbox AS o WHERE o.user_id = %(user_id)s),
           (SELECT b.built_at FROM engine.derived_builds AS b WHERE b.user_id = %(user_id)s),
           (SELECT jsonb_build_array(count(*), max(f.ended_at)) FROM engine.forgettings AS f WHERE f.user_id = %(user_id)s))::text AS mark,
       EXISTS (SELECT FROM engine.outbox AS o WHERE o.user_id = %(user_id)s AND o.state = 'pending') AS waiting,
       EXISTS (SELECT FROM engine.outbox AS o WHERE o.user_id = %(user_id)s AND o.state = 'set_aside') AS set_aside,
       EXISTS (SELECT FROM engine.forgettings AS f WHERE f.user_id = %(user_id)s AND f.ended_at IS NULL) AS forgetting

-- name: migrations
-- Purpose: the newest migration. Service only. Parameters: none. Returns: version.
SELECT max(m.version)::integer AS version FROM public.neurigraph_migrations AS m

-- name: embeddings
-- Purpose: the embedding version of each slot. Service only. Parameters: none. Returns: slot, name.
SELECT v.slot, v.name FROM engine.embedding_versions AS v WHERE v.slot IS NOT NULL ORDER BY v.slot

-- name: meanings
-- Purpose: what columns of tables are for. Service only. Parameters: none. Returns: place, name, type, meaning.
SELECT c.relnamespace::regnamespace::text || '.' || c.relname AS place, a.attname::text AS name,
       format_type(a.atttypid, a.atttypmod) AS type, coalesce(col_description(c.oid, a.attnum), '') AS meaning
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace IN ('engine'::regnamespace, 'template'::regnamespace) ORDER BY c.oid, a.attnum

-- name: import_lock
-- Purpose: holds the right to import this user, until it is given back or the connection ends. Service only. Parameters: user_id. Returns: whether it was free.
SELECT pg_try_advisory_lock(hashtextextended('neurigraph archive ' || %(user_id)s::text, 0)) AS free

-- name: import_unlock
-- Purpose: gives that right back. Service only. Parameters: user_id. Returns: one row, ignored.
SELECT pg_advisory_unlock(hashtextextended('neurigraph archive ' || %(user_id)s::text, 0))

-- name: taken
-- Purpose: what stands in the way of a user: that writing is stopped, a forgetting, the same one, one whose handle is or looks the same, a schema. Service only. Parameters: user_id, workspace, handle,
-- handle_key, schemas. Returns: what, name.
SELECT 'stopped' AS what, i.stopped_because AS name FROM engine.installation AS i WHERE i.stopped_because IS NOT NULL
UNION ALL
SELECT 'forgotten', '' FROM engine.forgettings AS f
WHERE f.kind = 'user' AND f.user_hash = engine.tombstone('user', NULL, %(user_id)s::uuid::text)
UNION ALL
SELECT 'user', u.handle FROM engine.users AS u WHERE u.user_id = %(user_id)s
UNION ALL
SELECT 'handle', u.handle FROM engine.users AS u JOIN engine.workspaces AS w USING (workspace_id)
WHERE w.name = %(workspace)s AND (u.handle = %(handle)s OR u.handle_key = %(handle_key)s) AND u.user_id <> %(user_id)s
UNION ALL
SELECT 'schema', n.nspname FROM pg_namespace AS n WHERE n.nspname = ANY (%(schemas)s::text[])
LIMIT 10

-- name: import_user
-- Purpose: enters the user of an archive. Service only. Parameters: user_id, workspace, handle, handle_key, display_name, created_at. Returns: workspace_id.
WITH made AS (
    INSERT INTO engine.workspaces (workspace_id, name) VALUES (gen_random_uuid(), %(workspace)s) ON CONFLICT DO NOTHING RETURNING workspace_id
), space AS (
    SELECT workspace_id FROM made UNION ALL SELECT w.workspace_id FROM engine.workspaces AS w WHERE w.name = %(workspace)s LIMIT 1
)
INSERT INTO engine.users (user_id, workspace_id, handle, handle_key, display_name, created_at)
SELECT %(user_id)s::uuid, s.workspace_id, %(handle)s::text, %(handle_key)s::text, %(display_name)s::text, %(created_at)s::timestamptz FROM space AS s
RETURNING workspace_id

-- name: import_rows
-- Purpose: enters rows of an archive in a table. Service only. Parameters: rows (json array). Returns: nothing; the number of rows is that of the command.
INSERT INTO {schema}.{table} ({columns})
SELECT {columns} FROM jsonb_populate_recordset(NULL::{schema}.{table}, %(rows)s)

-- name: import_integrations
-- Purpose: enters integrations that an archive names, where there are none of their ids; one whose name is taken gets a part of its id behind it. Service only.
-- Parameters: workspace_id, rows (json array). Returns: nothing.
INSERT INTO engine.integrations (integration_id, workspace_id, name, created_at, name_key)
SELECT r.integration_id, %(workspace_id)s::uuid,
       r.name || CASE WHEN i.name IS NULL THEN '' ELSE ' ' || left(r.integration_id::text, 8) END, r.created_at,
       r.name_key || CASE WHEN i.name IS NULL THEN '' ELSE ' ' || left(r.integration_id::text, 8) END
FROM jsonb_populate_recordset(NULL::engine.integrations, %(rows)s) AS r
LEFT JOIN LATERAL (SELECT x.name FROM engine.integrations AS x
                   WHERE x.workspace_id = %(workspace_id)s AND (x.name = r.name OR x.name_key = r.name_key) LIMIT 1) AS i ON true
ON CONFLICT (integration_id) DO NOTHING

-- name: import_schema
-- Purpose: makes the tables of a node. Service only. Parameters: node_id, schema. Returns: one row, ignored.
SELECT engine.create_node_schema(%(node_id)s::uuid, %(schema)s::text)

-- name: import_archivings
-- Purpose: archives nodes that were, after all their commits are entered. Service only. Parameters: rows (json array of node_id, archived, archivings). Returns:
-- nothing.
UPDATE engine.nodes AS n SET archived = r.archived, archivings = r.archivings
FROM jsonb_to_recordset(%(rows)s) AS r (node_id uuid, archived boolean, archivings timestamptz[]) WHERE n.node_id = r.node_id
