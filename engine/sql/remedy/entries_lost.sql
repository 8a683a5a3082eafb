-- Purpose: files of a node without a line in its manifest, that are in a raw input. Service only. Parameters: node_id. Returns: storage_path.
SELECT DISTINCT l.storage_path FROM engine.lost_entries(%(node_id)s) AS l WHERE l.known ORDER BY l.storage_path LIMIT 100000
