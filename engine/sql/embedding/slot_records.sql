-- Purpose: records without a vector of a version, one page, slices too. Identifiers: schema, embedding_version (the slot).
-- Parameters: version, after (record_id), most. Returns: row_id, summary, original (never changed, and its
--   summary quotes its items).
SELECT record_id AS row_id, summary, revision = 1 AND version_of IS NULL AND NOT EXISTS (
           SELECT FROM {schema}.memory_items AS i
           WHERE i.record_id = r.record_id AND i.kind NOT IN ('turn', 'chunk') AND i.category <> 'whole') AS original
FROM {schema}.metadata_records AS r
WHERE record_id > %(after)s AND {embedding_version} IS DISTINCT FROM %(version)s
ORDER BY record_id LIMIT %(most)s
