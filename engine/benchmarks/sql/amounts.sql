-- Purpose: how much there is in the database. Parameters: none. Returns: items (by the planner's count), nodes, bytes.
SELECT sum(c.reltuples)::bigint AS items, count(*)::bigint AS nodes, pg_database_size(current_database())::bigint AS bytes
FROM pg_class AS c JOIN engine.nodes AS n ON n.schema_name = c.relnamespace::regnamespace::text
WHERE c.relname = 'memory_items' AND c.reltuples >= 0
