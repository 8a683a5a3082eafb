-- name: enter
-- Purpose: enters what a forgetting takes with it as forgotten. Service only. Parameters: forgetting_id, user_id, kind, things. Returns: nothing.
INSERT INTO engine.forgotten (hash, kind, user_hash, forgetting_id)
SELECT engine.tombstone(%(kind)s, %(user_id)s::uuid, t.thing), %(kind)s, engine.tombstone('user', NULL, %(user_id)s::text), %(forgetting_id)s
FROM unnest(%(things)s::text[]) AS t (thing)
ON CONFLICT (hash) DO NOTHING
