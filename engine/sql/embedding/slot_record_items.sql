-- Purpose: the items of records with their vectors of a version. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: records, version. Returns: record_id, content, embedding (single
--   precision in any slot: a prepared statement may not change its type).
SELECT record_id, content, {embedding}::vector AS embedding
FROM {schema}.memory_items
WHERE record_id = ANY (%(records)s) AND version_of IS NULL AND kind IN ('turn', 'chunk') AND {embedding_version} = %(version)s
ORDER BY record_id, position, item_id LIMIT 100000
