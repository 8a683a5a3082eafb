-- Purpose: puts the next files to sleep whose time is over, that were not used for long, or whose restoration stopped. Service only.
-- Parameters: now, unused (woken by hand and not used since), limit. Returns: node_id, claim_id, storage_path, cause.
SELECT node_id, claim_id, storage_path, cause FROM engine.sweep_files(%(now)s, %(unused)s, %(limit)s::integer)
