-- Purpose: the items of records with their vectors of a version. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: records, version. Returns: record_id, content, embedding.
SELECT record_id, content, {embedding} AS embedding
FROM {schema}.memory_items
WHERE record_id = ANY (%(records)s) AND version_of IS NULL AND {embedding_version} = %(version)s
ORDER BY record_id, position, item_id LIMIT 100000
