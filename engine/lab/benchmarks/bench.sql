-- name: amounts
-- Purpose: how much there is in the database. Parameters: none. Returns: items (by the planner's count), nodes, bytes.
SELECT sum(c.reltuples)::bigint AS items, count(*)::bigint AS nodes, pg_database_size(current_database())::bigint AS bytes
FROM pg_class AS c JOIN engine.nodes AS n ON n.schema_name = c.relnamespace::regnamespace::text
WHERE c.relname = 'memory_items' AND c.reltuples >= 0

-- name: analyze
-- Purpose: statistics of the baseline's table; autovacuum does not analyze it. Parameters: none. Returns: nothing.
ANALYZE bench_items

-- name: copied
-- Purpose: many copies of the items of one node, as bulk in the database. Identifier: schema. Parameters: copies, how many of each item.
-- Returns: nothing.
INSERT INTO {schema}.memory_items (
    item_id, record_id, kind, session, position, speaker, content, content_hash, embedding, embedding_version, terms, occurred_at, word_count,
    entities, about, tokens
)
SELECT gen_random_uuid(), record_id, kind, session, position, speaker, content, content_hash, embedding, embedding_version, terms, occurred_at,
       word_count, entities, about, tokens
FROM {schema}.memory_items, generate_series(1, %(copies)s)

-- name: disk
-- Purpose: bytes on disk of the tables that nodes own, by table and part, of all nodes together. Parameters: none. Returns: name, heap, keys
--   (primary keys and other indexes), toast, toast_keys, maps (of free space and visibility, of the table and of what is stored out of line).
SELECT t.name, sum(t.heap)::bigint AS heap, sum(t.keys)::bigint AS keys, sum(t.toast)::bigint AS toast, sum(t.toast_keys)::bigint AS toast_keys,
       sum(t.whole - t.heap - t.keys - t.toast - t.toast_keys)::bigint AS maps
FROM (SELECT c.relname AS name, pg_total_relation_size(c.oid) AS whole, pg_relation_size(c.oid) AS heap, pg_indexes_size(c.oid) AS keys,
             coalesce(pg_relation_size(c.reltoastrelid), 0) AS toast, coalesce(pg_indexes_size(c.reltoastrelid), 0) AS toast_keys
      FROM pg_class AS c JOIN engine.nodes AS n ON n.schema_name = c.relnamespace::regnamespace::text
      WHERE c.relkind = 'r') AS t
GROUP BY t.name ORDER BY t.name

-- name: disk_catalogs
-- Purpose: bytes on disk of Postgres' own catalogs, which describe every table, column, constraint and policy. Parameters: none. Returns: bytes.
SELECT sum(pg_total_relation_size(c.oid))::bigint AS bytes
FROM pg_class AS c WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r' AND c.relname <> 'pg_statistic'

-- name: fill
-- Purpose: the items of one node into the baseline's table. Identifier: schema. Parameters: none. Returns: nothing.
INSERT INTO bench_items (item_id, content, embedding, words)
SELECT item_id, content, embedding, to_tsvector('english', content)
FROM {schema}.memory_items WHERE embedding IS NOT NULL

-- name: forgetting_of
-- Purpose: the forgetting of a user that goes on. Service only. Parameters: user_id. Returns: forgetting_id.
SELECT f.forgetting_id FROM engine.forgettings AS f WHERE f.user_id = %(user_id)s AND f.kind = 'user' LIMIT 1

-- name: grants
-- Purpose: many grants to one subject on the nodes of one user, in rounds that differ by purpose. Service only.
-- Parameters: user_id, subject_id, many. Returns: grant_id, node_id, granted_at.
INSERT INTO engine.grants (grant_id, user_id, node_id, subject_kind, subject_id, mode, purpose)
SELECT gen_random_uuid(), n.user_id, n.node_id, 'third_party', %(subject_id)s, 'read', 'round ' || r
FROM engine.nodes AS n, generate_series(1, %(many)s) AS r WHERE n.user_id = %(user_id)s LIMIT %(many)s
RETURNING grant_id, node_id, granted_at

-- name: items_counted
-- Purpose: how many items a node has. Service only. Identifier: schema. Parameters: none. Returns: items.
SELECT count(*) AS items FROM {schema}.memory_items

-- name: search
-- Purpose: the retrieval benchmark's baseline: words and meaning weighed equally, any word of the question counts.
-- Parameters: question (text), vector, limit. Returns: item_id, content, score.
WITH asked AS (
    SELECT replace(plainto_tsquery('english', %(question)s::text)::text, '&', '|')::tsquery AS words
)
SELECT i.item_id, i.content,
       0.5 * ts_rank_cd(i.words, a.words, 32) + 0.5 * (1 - (i.embedding <=> %(vector)s)) AS score
FROM bench_items AS i, asked AS a
ORDER BY score DESC LIMIT %(limit)s

-- name: soak_sizes
-- Purpose: sizes and row counts of the database, for the soak benchmark. Service only. Returns: connections, bytes, dead_rows, items (live rows
--   of all tables of items, as the statistics estimate them).
SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
       pg_database_size(current_database()) AS bytes,
       coalesce(sum(s.n_dead_tup), 0)::bigint AS dead_rows,
       coalesce(sum(s.n_live_tup) FILTER (WHERE s.relname = 'memory_items'), 0)::bigint AS items
FROM pg_stat_user_tables AS s

-- name: table
-- Purpose: the table of the retrieval benchmark's baseline, made by hand as one would; ends with the connection.
-- Parameters: none. Returns: nothing.
CREATE TEMPORARY TABLE bench_items (
    item_id   uuid PRIMARY KEY,
    content   text NOT NULL,
    embedding vector NOT NULL,
    words     tsvector NOT NULL
)

-- name: vectors_gone
-- Purpose: drops the compression benchmark's tables. Parameters: none. Returns: nothing.
DISCARD TEMP

-- name: vectors_insert
-- Purpose: one vector, as it is. Identifier: table. Parameters: place, short, whole, padding (as long as the rest of an item's row). Returns: nothing.
INSERT INTO {table} (place, short, whole, padding) VALUES (%(place)s, %(short)s, %(whole)s, %(padding)s)

-- name: vectors_plain
-- Purpose: keeps scanned columns in the row and the rest in TOAST. Identifier: table. Parameters: none. Returns: nothing.
ALTER TABLE {table} ALTER COLUMN short SET STORAGE PLAIN, ALTER COLUMN whole SET STORAGE EXTERNAL

-- name: vectors_rescored
-- Purpose: the nearest by one bit a dimension, reordered by the whole vectors. Identifier: table.
-- Parameters: vector, limit, candidates (kept for the second look). Returns: place.
SELECT place
FROM (SELECT place, whole FROM {table} ORDER BY short <~> binary_quantize(%(vector)s::vector) LIMIT %(candidates)s) AS near
ORDER BY whole <#> %(vector)s LIMIT %(limit)s

-- name: vectors_search
-- Purpose: the nearest by inner product, over whole or half precision. Identifier: table. Parameters: vector, limit. Returns: place.
SELECT place FROM {table} ORDER BY short <#> %(vector)s LIMIT %(limit)s

-- name: vectors_size
-- Purpose: size of a table on disk, with indexes and TOAST. Parameters: table. Returns: bytes.
SELECT pg_total_relation_size(%(table)s::text::regclass) AS bytes

-- name: vectors_table
-- Purpose: a table of vectors for the compression benchmark; ends with the connection. Identifiers: table, type.
-- Parameters: none. Returns: nothing.
CREATE TEMPORARY TABLE {table} (place integer NOT NULL, short {type} NOT NULL, whole vector, padding text NOT NULL)
