-- Purpose: every row of a node's tables, and of its counts, that the asker sees, without any other WHERE: for the leak fuzzer. Identifier: schema.
-- Parameters: node_id. Returns: place (table), id, record_id, private, detail (kind of an item, state of a record), known_from, known_to, until
--   (when the state ended, on either clock), moved_at, pointer (where its file is stored), part.
SELECT 'metadata_records' AS place, record_id::text AS id, coalesce(version_of, record_id) AS record_id, privacy = 'private' AS private, state AS detail,
       known_from, known_to, least(known_to, valid_to) AS until, moved_at, file_pointer AS pointer, false AS part
FROM {schema}.metadata_records
UNION ALL SELECT 'memory_items', item_id::text, record_id, privacy = 'private', CASE WHEN category = 'whole' THEN 'whole' ELSE kind END,
                 known_from, known_to, least(known_to, valid_to), moved_at, NULL, false FROM {schema}.memory_items
UNION ALL SELECT 'file_manifest', file_id::text, record_id, false, '', created_at, NULL, NULL, NULL, storage_path, part FROM {schema}.file_manifest
UNION ALL SELECT 'term_counts', unit || ':' || term, NULL, unit LIKE 'private%%', '', now(), NULL, NULL, NULL, NULL, false FROM engine.term_counts WHERE node_id = %(node_id)s
UNION ALL SELECT 'delta_log', delta_id::text, subject_id, false, '', created_at, NULL, NULL, NULL, NULL, false FROM {schema}.delta_log
