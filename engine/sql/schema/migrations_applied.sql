-- Purpose: what was applied. Parameters: none. Returns: version, checksum.
SELECT version, checksum FROM public.neurigraph_migrations ORDER BY version LIMIT 10000
