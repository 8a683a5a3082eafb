-- Purpose: ends the lock and the settings of a session that built indexes of large nodes. Parameters: none. Returns: nothing.
SELECT pg_advisory_unlock(hashtext('neurigraph indexes of large nodes')), set_config('maintenance_work_mem', boot.work_mem, false),
       set_config('statement_timeout', boot.timeout, false), set_config('max_parallel_maintenance_workers', boot.workers, false)
FROM (SELECT max(reset_val) FILTER (WHERE name = 'maintenance_work_mem') || 'kB' AS work_mem, max(reset_val) FILTER (WHERE name = 'statement_timeout') AS timeout,
             max(reset_val) FILTER (WHERE name = 'max_parallel_maintenance_workers') AS workers FROM pg_settings) AS boot
