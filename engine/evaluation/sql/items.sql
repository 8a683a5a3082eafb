-- Purpose: the stored items of one node with their vectors, for baselines over the same rows that a search sees.
-- Identifiers: schema, embedding and embedding_version (the slot). Parameters: version (of the vectors). Returns: source_ref, terms, embedding (null where it is pending).
SELECT i.source_ref, i.terms, CASE WHEN i.{embedding_version} = %(version)s THEN i.{embedding}::vector END AS embedding
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE r.state = 'live' AND r.known_to IS NULL AND i.known_to IS NULL AND i.source_ref IS NOT NULL
ORDER BY i.session, i.position, i.item_id LIMIT 1000000
