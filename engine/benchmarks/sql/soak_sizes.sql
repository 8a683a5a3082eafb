-- Purpose: sizes and row counts of the database, for the soak benchmark. Service only. Returns: connections, bytes, dead_rows, items (live rows
--   of all tables of items, as the statistics estimate them).
SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
       pg_database_size(current_database()) AS bytes,
       coalesce(sum(s.n_dead_tup), 0)::bigint AS dead_rows,
       coalesce(sum(s.n_live_tup) FILTER (WHERE s.relname = 'memory_items'), 0)::bigint AS items
FROM pg_stat_user_tables AS s
