-- Purpose: schemas of the engine that belong to another role than the service; a node's is known by its log of deltas. Parameters: service.
-- Returns: nspname; at most 100, the shared schema last.
SELECT n.nspname FROM pg_catalog.pg_namespace AS n
WHERE n.nspowner <> (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = %(service)s)
  AND (n.nspname IN ('engine', 'template', '_queue')
       OR EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_class AS m USING (relnamespace)
                  WHERE c.relnamespace = n.oid AND c.relname = 'delta_log' AND m.relname = 'metadata_records'))
ORDER BY n.nspname = 'engine', n.nspname LIMIT 100
