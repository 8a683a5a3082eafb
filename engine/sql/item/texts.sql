-- Purpose: the texts of records, in their order: turns and passages as they are now, and the facts that were read out of them. Identifier: schema. Parameters: records.
-- Returns: record_id, item_id, content, speaker, occurred_at, subjects (of a fact; null: it is none), private (for fewer readers than its record).
SELECT i.record_id, i.item_id, i.content, i.speaker, i.occurred_at, CASE i.kind WHEN 'fact' THEN i.subjects END AS subjects,
       i.privacy = 'private' AND r.privacy <> 'private' AS private
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r ON r.record_id = i.record_id AND r.version_of IS NULL
WHERE i.record_id = ANY (%(records)s) AND i.version_of IS NULL AND i.known_to IS NULL
  AND (i.kind IN ('turn', 'chunk') OR i.kind = 'fact' AND i.category <> 'whole')
ORDER BY i.record_id, i.kind = 'fact', i.session, i.position
