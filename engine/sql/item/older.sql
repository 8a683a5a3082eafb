-- Purpose: the rows of items of some records, in the order of these: slices, too. Identifier: schema. Service only.
-- Parameters: after (record_id), most (records). Returns: row_id, item_id, record_id, kind, whole (whether it holds a whole input), content,
--   title (of the document of a passage, else empty).
SELECT i.item_id AS row_id, coalesce(i.version_of, i.item_id) AS item_id, i.record_id, i.kind, i.category = 'whole' AS whole, i.content,
       CASE WHEN i.kind = 'chunk' THEN r.title ELSE '' END AS title
FROM (SELECT record_id, title FROM {schema}.metadata_records WHERE record_id > %(after)s AND version_of IS NULL
      ORDER BY record_id LIMIT %(most)s) AS r
JOIN {schema}.memory_items AS i USING (record_id)
ORDER BY i.record_id
