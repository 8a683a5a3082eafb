-- Purpose: what an item was at a moment, and what it is. Identifier: schema.
-- Parameters: node_id, subject_id, as_of, known_at (null: all that is known), earliest (of these two, where they are asked for, else the end of time). Returns: revision, own (state of its own row), since (null: from
--   the beginning), known_from (of the earliest slice), state (at the moment; null where it was not there), access_count and
--   last_accessed_at, record_id and resource_id (the input that it came in with; all of the user only); none when missing or hidden.
WITH slices AS (
    SELECT s.*, jsonb_build_object(
               'content', s.content, 'category', s.category, 'tags', s.tags, 'subjects', s.subjects,
               'confidence', round(s.confidence::numeric, 6), 'importance', round(s.importance::numeric, 6),
               'scope', s.scope, 'scope_id', s.scope_id, 'source', s.source,
               'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS fields
    FROM {schema}.memory_items AS s
    WHERE (s.item_id = %(subject_id)s AND s.version_of IS NULL OR s.version_of = %(subject_id)s) AND EXISTS (SELECT FROM {schema}.metadata_records AS r WHERE r.record_id = s.record_id AND r.state = 'live')
)
SELECT own.revision, own.fields AS own,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since, (SELECT min(e.known_from) FROM slices AS e) AS known_from,
       (SELECT s.fields FROM slices AS s
        WHERE s.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity') AND (s.known_to IS NULL OR s.known_to > coalesce(%(known_at)s::timestamptz, 'infinity'))
          AND s.valid_from <= %(as_of)s::timestamptz AND (s.valid_to IS NULL OR s.valid_to > %(as_of)s::timestamptz)
          AND (engine.reads_whole_past(%(node_id)s)
               OR greatest(s.moved_at, (SELECT r.moved_at FROM {schema}.metadata_records AS r WHERE r.record_id = s.record_id), engine.reads_from(%(node_id)s, 'items')) <= %(earliest)s)
        LIMIT 1) AS state,
       CASE WHEN engine.owns(%(node_id)s) THEN own.access_count END AS access_count, CASE WHEN engine.owns(%(node_id)s) THEN own.last_accessed_at END AS last_accessed_at,
       CASE WHEN engine.owns(%(node_id)s) THEN own.record_id END AS record_id, (SELECT r.resource_id FROM engine.raw_resources AS r
                       WHERE r.record_id = own.record_id AND r.received_at < coalesce(own.known_to, 'infinity')  -- the last version of a document that had it
                       ORDER BY r.received_at DESC LIMIT 1) AS resource_id
FROM slices AS own WHERE own.version_of IS NULL
