-- Purpose: live records of a node with their files, newest first, as they were at a moment, one page. Identifier: schema.
-- Parameters: node_id, before_time, before_id (the last row of the page before, or null), as_of, known_at (null: all that is known), earliest (of these two,
--   where they are asked for, else the end of time), limit.
-- Returns: the columns of RecordMetadata.
SELECT slice.subject_id AS record_id,
       (SELECT own.revision FROM {schema}.metadata_records AS own WHERE own.record_id = slice.subject_id) AS revision,
       slice.title, slice.summary, slice.kw_entities, slice.kw_topics, slice.kw_dates, slice.kw_relationships,
       CASE WHEN engine.owns(%(node_id)s) THEN slice.kw_source ELSE '' END AS kw_source,  -- a path may name what its reader may not know
       slice.content_type, slice.trigger_type, slice.token_count, slice.occurred_at, slice.created_at, CASE WHEN engine.owns(%(node_id)s) THEN slice.last_accessed_at END AS last_accessed_at,
       slice.embedding_pending, slice.scope, slice.scope_id, slice.source, coalesce(f.file_id, part.file_id) AS file_id,
       coalesce(f.file_name, part.file_name) AS file_name, coalesce(f.file_type, part.file_type) AS file_type,
       coalesce(f.compression_state, CASE WHEN part.file_id IS NOT NULL THEN 'active' END) AS compression_state, f.size_bytes, f.stored_bytes,
       part.file_id IS NOT NULL AS file_part
FROM (SELECT s.*, coalesce(s.version_of, s.record_id) AS subject_id FROM {schema}.metadata_records AS s
      WHERE s.state = 'live'
        AND s.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity') AND (s.known_to IS NULL OR s.known_to > coalesce(%(known_at)s::timestamptz, 'infinity'))
        AND s.valid_from <= %(as_of)s::timestamptz AND (s.valid_to IS NULL OR s.valid_to > %(as_of)s::timestamptz)
        AND ((SELECT engine.reads_whole_past(%(node_id)s))
             OR greatest(s.moved_at, (SELECT engine.reads_from(%(node_id)s, 'records'))) <= %(earliest)s)) AS slice
LEFT JOIN {schema}.file_manifest AS f ON f.record_id = slice.subject_id AND f.storage_path = slice.file_pointer  -- of the version at the moment
LEFT JOIN engine.part_files(%(node_id)s) AS part ON part.record_id = slice.subject_id AND part.storage_path = slice.file_pointer
WHERE %(before_time)s::timestamptz IS NULL OR (slice.created_at, slice.subject_id) < (%(before_time)s, %(before_id)s::uuid)
ORDER BY slice.created_at DESC, slice.subject_id DESC LIMIT %(limit)s
