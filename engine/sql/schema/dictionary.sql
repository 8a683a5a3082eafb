-- Purpose: the tables of the engine and of a node, with columns, for the data dictionary. Parameters: none.
-- Returns: place (schema.table), meaning, name, type, nullable, keys (primary, unique, or the table referred to), comment; in order.
SELECT format('%s.%s', n.nspname, c.relname) AS place, coalesce(obj_description(c.oid, 'pg_class'), '') AS meaning, a.attname::text AS name,
       format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
       ARRAY(SELECT CASE k.contype WHEN 'p' THEN 'primary' WHEN 'u' THEN 'unique' ELSE '→ ' || k.confrelid::regclass END
             FROM pg_catalog.pg_constraint AS k
             WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f') AND a.attnum = ANY (k.conkey)
             GROUP BY 1 ORDER BY min(array_position(ARRAY['p', 'u', 'f'], k.contype::text)), 1) AS keys,
       coalesce(col_description(c.oid, a.attnum), '') AS comment
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'm') AND n.nspname IN ('engine', 'template')
ORDER BY n.nspname, c.relname, a.attnum
