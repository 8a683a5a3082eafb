-- name: enter
-- Purpose: enters what a forgetting takes with it as forgotten. Service only. Parameters: forgetting_id, user_id, kind, things. Returns: nothing.
INSERT INTO engine.forgotten (hash, kind, user_hash, forgetting_id)
SELECT engine.tombstone(%(kind)s, %(user_id)s::uuid, t.thing), %(kind)s, engine.tombstone('user', NULL, %(user_id)s::text), %(forgetting_id)s
FROM unnest(%(things)s::text[]) AS t (thing)
ON CONFLICT (hash) DO NOTHING

-- name: records
-- Purpose: which of these records of the own graph were forgotten; for its user. Parameters: records. Returns: record_id.
SELECT f.thing::uuid AS record_id FROM engine.is_forgotten('record', %(records)s::text[]) AS f

-- name: records_of_user
-- Purpose: which of these records of a user were forgotten. Service only. Parameters: user_id, records. Returns: record_id.
SELECT r.record_id FROM unnest(%(records)s::uuid[]) AS r (record_id)
JOIN engine.forgotten AS f ON f.hash = engine.tombstone('record', %(user_id)s::uuid, r.record_id::text)
