-- Purpose: items without a vector of a version, one page, slices too. Identifiers: schema, embedding_version (the slot).
-- Parameters: version, after (item_id), most. Returns: row_id, kind, session, section, title (of its record), content, content_hash, whole (whether it holds a whole input).
SELECT item_id AS row_id, kind, session, section, content,
       coalesce((SELECT r.title FROM {schema}.metadata_records AS r WHERE r.record_id = i.record_id), '') AS title, content_hash, category = 'whole' AS whole
FROM {schema}.memory_items AS i
WHERE item_id > %(after)s AND {embedding_version} IS DISTINCT FROM %(version)s
ORDER BY item_id LIMIT %(most)s
