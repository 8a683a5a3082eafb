-- Purpose: a restoration failed: dormant again, with the cause in the log. Service only.
-- Parameters: node_id, file_id, claim_id, now, detail, review. Returns: done (false when the claim was taken over).
SELECT engine.file_failed(%(node_id)s, %(file_id)s, %(claim_id)s, %(now)s, %(detail)s, %(review)s) AS done
