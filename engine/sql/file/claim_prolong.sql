-- Purpose: a restoration takes longer than its claim. Service only. Parameters: node_id, file_id, claim_id, lease. Returns: nothing.
UPDATE engine.awake_files SET claimed_until = greatest(claimed_until, %(lease)s)
WHERE node_id = %(node_id)s AND file_id = %(file_id)s AND claim_id = %(claim_id)s AND state = 'rehydrating'
