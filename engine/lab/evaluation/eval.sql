-- name: items
-- Purpose: the stored items of one node with their vectors, for baselines over the same rows that a search sees.
-- Identifiers: schema, embedding and embedding_version (the slot). Parameters: version (of the vectors). Returns: source_ref, terms, embedding (null where it is pending).
SELECT i.source_ref, i.terms, CASE WHEN i.{embedding_version} = %(version)s THEN i.{embedding}::vector END AS embedding
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE r.state = 'live' AND r.known_to IS NULL AND i.known_to IS NULL AND i.source_ref IS NOT NULL
ORDER BY i.session, i.position, i.item_id LIMIT 1000000

-- name: nodes
-- Purpose: the schemas of all live nodes that the principal may read, for an evaluation. Parameters: none. Returns: schema_name.
SELECT schema_name FROM engine.nodes WHERE state = 'live' AND known_to IS NULL ORDER BY layer, created_at LIMIT 10000

-- name: places
-- Purpose: the turns at one node, for the evaluation of placement. Identifiers: schema. Parameters: none.
--   Returns: source_ref, privacy, confidence (of the current decision; 1 if none is kept); a row a turn, or a few of a long one.
SELECT DISTINCT i.source_ref, r.privacy,
       coalesce((SELECT a.confidence::float8 FROM engine.assignments AS a WHERE a.record_id = i.record_id
                 ORDER BY a.entry_id DESC LIMIT 1), 1) AS confidence
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE i.kind = 'turn' AND i.source_ref IS NOT NULL AND i.known_to IS NULL AND r.state = 'live' AND r.known_to IS NULL
LIMIT 1000000
