-- Purpose: node schemas that no registry row owns. Service only. Parameters: limit. Returns: schema_name.
SELECT s.nspname AS schema_name FROM pg_namespace AS s
JOIN pg_class AS c ON c.relnamespace = s.oid AND c.relname = 'metadata_records'
WHERE s.nspname <> 'template' AND NOT EXISTS (SELECT 1 FROM engine.nodes AS n WHERE n.schema_name = s.nspname)
ORDER BY 1 LIMIT %(limit)s
