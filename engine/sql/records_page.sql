-- Purpose: live records of a node with their files, newest first, as they were at a moment, one page. Identifier: schema.
-- Parameters: before_time, before_id (the last row of the page before, or null), as_of, known_at (null: all that is known), limit.
-- Returns: the columns of RecordMetadata.
SELECT slice.subject_id AS record_id,
       (SELECT own.revision FROM {schema}.metadata_records AS own WHERE own.record_id = slice.subject_id) AS revision,
       slice.title, slice.summary, slice.kw_entities, slice.kw_topics, slice.kw_dates, slice.kw_relationships, slice.kw_source,
       slice.content_type, slice.trigger_type, slice.token_count, slice.occurred_at, slice.created_at, slice.last_accessed_at,
       slice.embedding_pending, slice.scope, slice.scope_id, slice.source, f.file_id, f.file_name, f.file_type, f.compression_state, f.size_bytes, f.stored_bytes
FROM (SELECT s.*, coalesce(s.version_of, s.record_id) AS subject_id FROM {schema}.metadata_records AS s
      WHERE s.state = 'live'
        AND s.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity') AND (s.known_to IS NULL OR s.known_to > coalesce(%(known_at)s::timestamptz, 'infinity'))
        AND s.valid_from <= %(as_of)s::timestamptz AND (s.valid_to IS NULL OR s.valid_to > %(as_of)s::timestamptz)) AS slice
LEFT JOIN {schema}.file_manifest AS f ON f.record_id = slice.subject_id AND f.storage_path = slice.file_pointer  -- of the version at the moment
WHERE %(before_time)s::timestamptz IS NULL OR (slice.created_at, slice.subject_id) < (%(before_time)s, %(before_id)s::uuid)
ORDER BY slice.created_at DESC, slice.subject_id DESC LIMIT %(limit)s
