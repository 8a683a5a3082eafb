-- Purpose: enters what the texts of entities mean. Service only. Parameters: user_id, version, built_at, meanings (json array of {entity_id, centroid, descriptors, drift, items}).
-- Returns: nothing.
INSERT INTO engine.entity_meanings (entity_id, embedding_version, user_id, centroid, descriptors, drift, items, rebuilt_at)
SELECT r.entity_id, %(version)s, %(user_id)s, r.centroid::vector, r.descriptors, r.drift, r.items, %(built_at)s
FROM jsonb_to_recordset(%(meanings)s) AS r (entity_id uuid, centroid text, descriptors text[], drift real, items integer)
ON CONFLICT (entity_id, embedding_version) DO UPDATE
SET centroid = EXCLUDED.centroid, descriptors = EXCLUDED.descriptors, drift = EXCLUDED.drift, items = EXCLUDED.items, rebuilt_at = EXCLUDED.rebuilt_at
