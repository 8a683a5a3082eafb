-- Purpose: the texts of functions that were applied. Parameters: none. Returns: name, checksums (the newest first).
SELECT name, array_agg(checksum ORDER BY applied DESC) AS checksums FROM public.neurigraph_functions GROUP BY name ORDER BY name LIMIT 10000
