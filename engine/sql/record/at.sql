-- Purpose: what a record was at a moment, and what it is. Identifier: schema.
-- Parameters: node_id, subject_id, as_of, known_at (null: all that is known), earliest (of these two, where they are asked for, else the end of time). Returns: revision, own (state of its own row), since (null: from
--   the beginning), known_from (of the earliest slice), state (at the moment; null where it was not there), access_count (none of a record) and
--   last_accessed_at, record_id and resource_id (its newest input; all of the user only); none when missing or hidden.
WITH slices AS (
    SELECT s.*, jsonb_build_object(
               'title', s.title, 'summary', s.summary, 'kw_entities', s.kw_entities, 'kw_topics', s.kw_topics, 'kw_dates', s.kw_dates,
               'kw_relationships', s.kw_relationships,
               'scope', s.scope, 'scope_id', s.scope_id, 'source', s.source,
               'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS fields
    FROM {schema}.metadata_records AS s
    WHERE (s.record_id = %(subject_id)s AND s.version_of IS NULL OR s.version_of = %(subject_id)s) AND s.state = 'live'
)
SELECT own.revision, own.fields AS own,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since, (SELECT min(e.known_from) FROM slices AS e) AS known_from,
       (SELECT s.fields FROM slices AS s
        WHERE s.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity') AND (s.known_to IS NULL OR s.known_to > coalesce(%(known_at)s::timestamptz, 'infinity'))
          AND s.valid_from <= %(as_of)s::timestamptz AND (s.valid_to IS NULL OR s.valid_to > %(as_of)s::timestamptz)
          AND (engine.reads_whole_past(%(node_id)s)
               OR greatest(s.moved_at, engine.reads_from(%(node_id)s, 'records')) <= %(earliest)s)
        LIMIT 1) AS state,
       CASE WHEN engine.owns(%(node_id)s) THEN NULL::integer END AS access_count, CASE WHEN engine.owns(%(node_id)s) THEN own.last_accessed_at END AS last_accessed_at,
       CASE WHEN engine.owns(%(node_id)s) THEN own.record_id END AS record_id, (SELECT r.resource_id FROM engine.raw_resources AS r WHERE r.record_id = own.record_id ORDER BY r.received_at DESC LIMIT 1) AS resource_id
FROM slices AS own WHERE own.version_of IS NULL
