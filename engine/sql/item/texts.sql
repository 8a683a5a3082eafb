-- Purpose: the texts of records, in their order: turns and passages as they are now. Identifier: schema. Parameters: records.
-- Returns: record_id, item_id, content, speaker, occurred_at.
SELECT i.record_id, i.item_id, i.content, i.speaker, i.occurred_at FROM {schema}.memory_items AS i
WHERE i.record_id = ANY (%(records)s) AND i.kind IN ('turn', 'chunk') AND i.version_of IS NULL AND i.known_to IS NULL
ORDER BY i.record_id, i.session, i.position
