-- Purpose: items that have a vector of a version and no tokens of it, one page, slices too. Identifiers: schema, embedding_version and tokens (the slot).
-- Parameters: version, after (item_id), most. Returns: row_id, kind, session, section, title (of its record), content, content_hash, whole (false: what holds a whole input has none).
SELECT item_id AS row_id, kind, session, section, content,
       coalesce((SELECT r.title FROM {schema}.metadata_records AS r WHERE r.record_id = i.record_id), '') AS title, content_hash, false AS whole
FROM {schema}.memory_items AS i
WHERE item_id > %(after)s AND {embedding_version} = %(version)s AND {tokens} IS NULL AND category <> 'whole'
ORDER BY item_id LIMIT %(most)s
