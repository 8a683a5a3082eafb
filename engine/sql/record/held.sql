-- Purpose: a record as it is kept, for another reading. Identifier: schema. Parameters: record_id.
-- Returns: content_type, trigger_type, source_id, privacy, scope, scope_id, source, file_id, file_name, file_type, media_type (of the file of its
--   newest version) and layout (where the turns stand in it, or null); none where it is missing, hidden, or holds no longer.
SELECT r.content_type, r.trigger_type, r.source_id, r.privacy, r.scope, r.scope_id, r.source, f.file_id, f.file_name, f.file_type,
       f.content_type AS media_type, (SELECT w.layout FROM engine.raw_resources AS w WHERE w.resource_id = f.file_id) AS layout
FROM {schema}.metadata_records AS r
JOIN {schema}.file_manifest AS f ON f.record_id = r.record_id AND f.storage_path = r.file_pointer
WHERE r.record_id = %(record_id)s AND r.version_of IS NULL AND r.state = 'live' AND r.known_to IS NULL LIMIT 1
