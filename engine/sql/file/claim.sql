-- Purpose: claims a file as awake for a reader: prolongs its time, takes its restoration, or returns the claim of another restoration.
-- Parameters: node_id, file_id, claim_id (a new one), by_hand, now, lease (end of a new claim), until (end of the time after a
--   retrieval), lost (claim of a copy that was missing or damaged, or null), waited (claim that was waited for, or null).
-- Returns: one row: state (also `failed`), since, due_at, by_hand, claim_id, mine; raises NG404.
SELECT state, since, due_at, by_hand, claim_id, mine
FROM engine.claim_file(%(node_id)s, %(file_id)s, %(claim_id)s, %(by_hand)s, %(now)s, %(lease)s, %(until)s, %(lost)s, %(waited)s)
