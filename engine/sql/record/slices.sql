-- Purpose: the slices of a live record that are known until further notice, and its own row. Identifier: schema.
-- Parameters: subject_id. Returns: row_id, own, revision, privacy, scope, unit, state, valid_from (null: from the beginning), valid_to,
--   known_from, known_to, since (when the earliest of all its slices begins); none when missing or hidden.
WITH slices AS (
    SELECT o.* FROM {schema}.metadata_records AS o WHERE o.record_id = %(subject_id)s
    UNION ALL  -- what was never changed has no others, which all rows of the node are read for
    SELECT o.* FROM {schema}.metadata_records AS o
    WHERE o.version_of = %(subject_id)s AND (SELECT c.revision > 1 FROM {schema}.metadata_records AS c WHERE c.record_id = %(subject_id)s)
)
SELECT s.record_id AS row_id, s.version_of IS NULL AS own, s.revision, s.privacy, s.scope, 'record' AS unit,
       jsonb_build_object(
           'title', s.title, 'summary', s.summary, 'kw_entities', s.kw_entities, 'kw_topics', s.kw_topics, 'kw_dates', s.kw_dates,
           'kw_relationships', s.kw_relationships,
           'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS state,
       nullif(s.valid_from, '-infinity') AS valid_from, s.valid_to, s.known_from, s.known_to,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since
FROM slices AS s
WHERE (s.version_of IS NULL OR s.known_to IS NULL)
  AND s.state = 'live'
ORDER BY s.valid_from LIMIT 10000
