-- Purpose: puts a file to sleep; the principal must have the right to write to its node. Parameters: node_id, file_id, now.
-- Returns: claim_id and storage_path of the copy to delete; no row where it slept already; raises NG404, NG409.
SELECT claim_id, storage_path FROM engine.sleep_file(%(node_id)s, %(file_id)s, %(now)s)
