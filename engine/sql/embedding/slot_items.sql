-- Purpose: items without a vector of a version, one page, slices too. Identifiers: schema, embedding_version (the slot).
-- Parameters: version, after (item_id), most. Returns: row_id, kind, session, section, content, content_hash, whole (whether it holds a whole input).
SELECT item_id AS row_id, kind, session, section, content, content_hash, category = 'whole' AS whole
FROM {schema}.memory_items
WHERE item_id > %(after)s AND {embedding_version} IS DISTINCT FROM %(version)s
ORDER BY item_id LIMIT %(most)s
