-- Purpose: every row of a node's tables that the asker is shown, without any WHERE: for the leak fuzzer. Identifier: schema.
-- Parameters: none. Returns: place (table), id, record_id, private, detail (kind of an item, state of a record).
SELECT 'metadata_records' AS place, record_id::text AS id, record_id, privacy = 'private' AS private, state AS detail
FROM {schema}.metadata_records
UNION ALL SELECT 'memory_items', item_id::text, record_id, privacy = 'private', CASE WHEN category = 'whole' THEN 'whole' ELSE kind END FROM {schema}.memory_items
UNION ALL SELECT 'file_manifest', file_id::text, record_id, NULL, '' FROM {schema}.file_manifest
UNION ALL SELECT 'term_counts', unit || ':' || term, NULL, unit LIKE 'private%%', '' FROM {schema}.term_counts
UNION ALL SELECT 'delta_log', delta_id::text, subject_id, NULL, '' FROM {schema}.delta_log
