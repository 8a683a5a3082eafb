-- Purpose: live records of a node with their files, newest first, one page. Identifier: schema.
-- Parameters: before_time, before_id (the last row of the page before, or null), as_of, known_at (null is now), limit.
-- Returns: the columns of RecordMetadata.
SELECT r.record_id, r.title, r.summary, r.kw_entities, r.kw_topics, r.kw_dates, r.kw_relationships, r.kw_source,
       r.content_type, r.trigger_type, r.token_count, r.occurred_at, r.created_at, r.last_accessed_at,
       r.embedding_pending, f.file_id, f.file_name, f.file_type, f.compression_state, f.size_bytes, f.stored_bytes
FROM {schema}.metadata_records AS r LEFT JOIN {schema}.file_manifest AS f USING (record_id)
WHERE r.state = 'live'
  AND (%(known_at)s::timestamptz IS NULL OR r.known_from <= %(known_at)s)
  AND (r.known_to IS NULL OR r.known_to > %(known_at)s)
  AND r.valid_from <= coalesce(%(as_of)s, now()) AND (r.valid_to IS NULL OR r.valid_to > coalesce(%(as_of)s, now()))
  AND (%(before_time)s::timestamptz IS NULL OR (r.created_at, r.record_id) < (%(before_time)s, %(before_id)s::uuid))
ORDER BY r.created_at DESC, r.record_id DESC LIMIT %(limit)s
