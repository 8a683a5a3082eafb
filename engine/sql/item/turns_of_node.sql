-- Purpose: the newest turns that lie at a node now, for its user, without what belongs to a thread or workflow. Identifier: schema.
-- Parameters: limit, private (whether private turns, too). Returns: record_id, title, session, speaker, content, newest first.
SELECT i.record_id, r.title, i.session, i.speaker, i.content
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE i.kind = 'turn' AND i.known_to IS NULL AND i.superseded_by IS NULL AND i.scope = 'user' AND i.version_of IS NULL
  AND (%(private)s OR i.privacy <> 'private' AND r.privacy <> 'private') AND r.state = 'live' AND r.version_of IS NULL
ORDER BY i.created_at DESC, i.session, i.position DESC
LIMIT %(limit)s
