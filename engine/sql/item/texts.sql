-- Purpose: the texts of records, in their order: turns and passages that hold now, the facts that were read out of them, observations and summaries. Identifier: schema.
-- Parameters: records, now. Returns: record_id, item_id, row_id (of the slice that holds), kind, content, speaker, occurred_at, subjects (of a fact),
--   private (for fewer readers than its record), changed (the text is another than the one that was stored first).
SELECT i.record_id, coalesce(i.version_of, i.item_id) AS item_id, i.item_id AS row_id, i.kind, i.content, i.speaker, i.occurred_at, i.subjects,
       i.privacy = 'private' AND r.privacy <> 'private' AS private,
       CASE WHEN i.version_of IS NULL AND i.revision = 1 THEN false
            ELSE i.content_hash <> (SELECT f.content_hash FROM {schema}.memory_items AS f
                                    WHERE f.record_id = i.record_id AND coalesce(f.version_of, f.item_id) = coalesce(i.version_of, i.item_id)
                                    ORDER BY f.known_from, f.valid_from LIMIT 1) END AS changed
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r ON r.record_id = i.record_id AND r.version_of IS NULL
WHERE i.record_id = ANY (%(records)s) AND i.known_to IS NULL AND i.valid_from <= %(now)s AND (i.valid_to IS NULL OR i.valid_to > %(now)s)
  AND (i.kind <> 'fact' OR i.category <> 'whole')
ORDER BY i.record_id, i.kind = 'fact', i.session, i.position
