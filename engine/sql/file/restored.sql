-- Purpose: the restored copy is there and verified: active. Service only. Parameters: node_id, file_id, claim_id, now, until.
-- Returns: done (false when the claim was taken over).
SELECT engine.file_restored(%(node_id)s, %(file_id)s, %(claim_id)s, %(now)s, %(until)s) AS done
