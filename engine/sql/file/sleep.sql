-- Purpose: puts a file to sleep; the principal must have the right to write to its node. Parameters: node_id, file_id, now.
-- Returns: node_id, claim_id and storage_path of the copy to delete, cause; no row where it slept already; raises NG404, NG409.
SELECT %(node_id)s::uuid AS node_id, claim_id, storage_path, 'manual' AS cause FROM engine.sleep_file(%(node_id)s, %(file_id)s, %(now)s)
