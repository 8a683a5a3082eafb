-- name: columns
-- Purpose: every table, whoever made it, with those of its columns that hold texts, ids, JSON, or terms of words. Service only. Parameters: user_id (NULL: of all users;
-- else schemas of nodes of others are left out). Returns: schema_name, table_name, of_node (it is the schema of a node, or was), by_user (it has a column user_id),
-- columns, terms (columns of terms).
SELECT n.nspname::text AS schema_name, c.relname::text AS table_name,
       EXISTS (SELECT FROM pg_catalog.pg_class AS r WHERE r.relnamespace = n.oid AND r.relname = 'metadata_records') AS of_node,
       bool_or(a.attname = 'user_id') AS by_user,
       coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (
           WHERE format_type(a.atttypid, NULL) = ANY (ARRAY['text', 'character varying', 'character', 'name', 'uuid', 'json', 'jsonb', 'xml', 'tsvector',
                                                            'text[]', 'character varying[]', 'name[]', 'uuid[]', 'json[]', 'jsonb[]'])), ARRAY[]::text[]) AS columns,
       coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (
           WHERE a.attname = 'terms' AND t.typname = 'sparsevec' OR (n.nspname, c.relname, a.attname) = ('engine', 'term_counts', 'term')), ARRAY[]::text[]) AS terms
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND has_table_privilege(c.oid, 'SELECT')
  AND (%(user_id)s::uuid IS NULL
       OR NOT EXISTS (SELECT FROM engine.nodes AS e WHERE e.schema_name = n.nspname AND e.user_id <> %(user_id)s::uuid))
GROUP BY n.oid, n.nspname, c.relname ORDER BY n.nspname, c.relname

-- name: key
-- Purpose: the key of tombstones. Service only. Parameters: none. Returns: key.
SELECT k.key FROM engine.forgetting_key AS k

-- name: names
-- Purpose: names that the database itself has: of schemas and of roles. Service only. Parameters: user_id (NULL: of all users; else schemas of nodes of others are left
-- out). Returns: place, name.
SELECT 'pg_namespace' AS place, n.nspname::text AS name FROM pg_catalog.pg_namespace AS n
WHERE n.nspname !~ '^pg_' AND (%(user_id)s::uuid IS NULL
    OR NOT EXISTS (SELECT FROM engine.nodes AS e WHERE e.schema_name = n.nspname AND e.user_id <> %(user_id)s::uuid))
UNION ALL SELECT 'pg_roles', r.rolname::text FROM pg_catalog.pg_roles AS r WHERE r.rolname !~ '^pg_'

-- name: roots
-- Purpose: the folders of a user in the object store. Service only. Parameters: user_id. Returns: root.
SELECT n.schema_name AS root FROM engine.nodes AS n WHERE n.user_id = %(user_id)s AND n.parent_id IS NULL LIMIT 1000

-- name: rows
-- Purpose: begins to read all rows of a table; `rows_next` gives them a page at a time. Service only. Parameters: none. Returns: nothing.
DECLARE traces NO SCROLL CURSOR FOR SELECT {columns} FROM {schema}.{table}

-- name: rows_end
-- Purpose: ends that. Service only. Parameters: none. Returns: nothing.
CLOSE traces

-- name: rows_next
-- Purpose: the next rows of it. Service only. Parameters: none. Returns: the columns that were asked for.
FETCH FORWARD 500 FROM traces

-- name: rows_of_user
-- Purpose: begins to read the rows of a table that are of a user, or of none. Service only. Parameters: user_id. Returns: nothing.
DECLARE traces NO SCROLL CURSOR FOR SELECT {columns} FROM {schema}.{table} WHERE user_id = %(user_id)s OR user_id IS NULL

-- name: statistics
-- Purpose: begins to read the values that the planner keeps of columns; `rows_next` gives them a page at a time. Service only. Parameters: user_id (NULL: of all users;
-- else schemas of nodes of others are left out). Returns: nothing.
DECLARE traces NO SCROLL CURSOR FOR
SELECT s.schemaname::text AS schema_name, s.tablename::text AS table_name, s.attname::text AS column_name,
       concat_ws(' ', s.most_common_vals::text, s.histogram_bounds::text, s.most_common_elems::text) AS held
FROM pg_catalog.pg_stats AS s WHERE s.schemaname !~ '^pg_' AND s.schemaname <> 'information_schema'
  AND (%(user_id)s::uuid IS NULL
       OR NOT EXISTS (SELECT FROM engine.nodes AS e WHERE e.schema_name = s.schemaname AND e.user_id <> %(user_id)s::uuid))
