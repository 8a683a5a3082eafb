-- Purpose: removes what the texts of other entities than these mean, of one version, and of versions that are there no more. Service only. Parameters: user_id, version, kept
--   (entity ids). Returns: nothing.
DELETE FROM engine.entity_meanings AS m
WHERE m.user_id = %(user_id)s AND (m.embedding_version = %(version)s AND m.entity_id <> ALL (%(kept)s::uuid[])
      OR NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = m.embedding_version AND v.slot IS NOT NULL))
