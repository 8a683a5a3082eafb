-- Purpose: records without a vector of a version, one page, slices too. Identifiers: schema, embedding_version (the slot).
-- Parameters: version, after (record_id), most. Returns: row_id, summary, original (never changed).
SELECT record_id AS row_id, summary, revision = 1 AND version_of IS NULL AS original
FROM {schema}.metadata_records
WHERE record_id > %(after)s AND {embedding_version} IS DISTINCT FROM %(version)s
ORDER BY record_id LIMIT %(most)s
