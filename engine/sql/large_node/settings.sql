-- Purpose: lets a session build a large index: memory for 100,000 vectors, no limit of time but the job's; alone, because shared memory of containers
--   is small. Parameters: none. Returns: nothing.
SELECT set_config('maintenance_work_mem', '256MB', false), set_config('statement_timeout', '0', false),
       set_config('max_parallel_maintenance_workers', '0', false)
