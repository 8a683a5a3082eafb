-- Purpose: a live record with all its slices, to be entered in the graph again. Identifier: schema. Parameters: record_id.
-- Returns: its slices, the own one first, each beside the record's own columns and the newest version of a document; none when missing or hidden.
WITH own AS (
    SELECT r.record_id, r.commit_id, r.content_type, r.source_id, r.privacy, r.revision, r.created_at, f.file_id, f.file_name,
           (SELECT count(*) FROM {schema}.memory_items AS i
            WHERE i.record_id = r.record_id AND i.version_of IS NULL AND i.category <> 'whole') AS items
    FROM {schema}.metadata_records AS r
    LEFT JOIN {schema}.file_manifest AS f ON f.record_id = r.record_id AND f.storage_path = r.file_pointer
    WHERE r.record_id = %(record_id)s AND r.version_of IS NULL AND r.state = 'live' LIMIT 1
)
SELECT o.*, s.record_id AS slice_id, s.title, s.occurred_at, nullif(s.valid_from, '-infinity') AS valid_from, s.valid_to, s.known_from,
       s.known_to, v.version, v.file_id AS version_file_id, v.file_name AS version_file_name
FROM own AS o JOIN {schema}.metadata_records AS s ON s.record_id = o.record_id OR s.version_of = o.record_id
LEFT JOIN LATERAL (SELECT d.version, d.file_id, d.file_name FROM engine.document_versions AS d
                   WHERE d.document_id = o.record_id ORDER BY d.version DESC LIMIT 1) AS v ON true
ORDER BY s.version_of IS NOT NULL, s.known_from
