-- Purpose: ends what is known of chunks and counts the change. Identifier: schema. Parameters: items (ids), known_to. Returns: nothing.
UPDATE {schema}.memory_items
SET known_to = coalesce(known_to, %(known_to)s), revision = revision + CASE WHEN version_of IS NULL THEN 1 ELSE 0 END
WHERE item_id = ANY (%(items)s::uuid[]) OR version_of = ANY (%(items)s::uuid[]) AND known_to IS NULL
