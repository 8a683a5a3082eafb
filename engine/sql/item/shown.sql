-- Purpose: the passages of a record that hold now, with their texts where those may have been changed by hand. Identifier: schema.
-- Parameters: record_id, now. Returns: item_id, content (null: as it was stored).
SELECT coalesce(i.version_of, i.item_id) AS item_id, CASE WHEN i.version_of IS NOT NULL OR i.revision > 1 THEN i.content END AS content
FROM {schema}.memory_items AS i
WHERE i.record_id = %(record_id)s AND i.kind = 'chunk' AND i.known_to IS NULL AND i.valid_from <= %(now)s AND (i.valid_to IS NULL OR i.valid_to > %(now)s)
