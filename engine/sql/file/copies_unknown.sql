-- Purpose: which of these restored copies no awake file claims. Service only. Parameters: files, claims (arrays side by side).
-- Returns: claim_id.
SELECT c.claim_id FROM unnest(%(files)s::uuid[], %(claims)s::uuid[]) AS c (file_id, claim_id)
WHERE NOT EXISTS (SELECT FROM engine.awake_files AS a WHERE a.claim_id = c.claim_id AND a.file_id = c.file_id)
