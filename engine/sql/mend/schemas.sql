-- Purpose: nodes whose schema lacks tables of the template, one page. Service only. Parameters: after (node id), limit. Returns: node_id, schema_name.
SELECT n.node_id, n.schema_name FROM engine.nodes AS n
WHERE n.node_id > %(after)s
  AND EXISTS (SELECT FROM pg_class AS t WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r'
              AND NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
                              WHERE s.nspname = n.schema_name AND c.relname = t.relname AND c.relkind = 'r'))
ORDER BY n.node_id LIMIT %(limit)s
