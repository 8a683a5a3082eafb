-- Purpose: the slices of an item of a live record (`pending`: of any) that are known until further notice, and its own row. Identifier: schema.
-- Parameters: subject_id, pending. Returns: row_id, own, revision, privacy, scope, unit, state, valid_from (null: from the beginning), valid_to,
--   known_from, known_to, since (when the earliest of all its slices begins); none when missing or hidden.
WITH slices AS (
    SELECT o.* FROM {schema}.memory_items AS o WHERE o.item_id = %(subject_id)s
    UNION ALL  -- what was never changed has no others, which all rows of the node are read for
    SELECT o.* FROM {schema}.memory_items AS o
    WHERE o.version_of = %(subject_id)s AND (SELECT c.revision > 1 FROM {schema}.memory_items AS c WHERE c.item_id = %(subject_id)s)
)
SELECT s.item_id AS row_id, s.version_of IS NULL AS own, s.revision, s.privacy, s.scope,
       CASE s.kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit,
       jsonb_build_object(
           'content', s.content, 'category', s.category, 'tags', s.tags, 'subjects', s.subjects,
           'confidence', round(s.confidence::numeric, 6), 'importance', round(s.importance::numeric, 6),
           'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS state,
       nullif(s.valid_from, '-infinity') AS valid_from, s.valid_to, s.known_from, s.known_to,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since
FROM slices AS s
WHERE (s.version_of IS NULL OR s.known_to IS NULL)
  AND (%(pending)s OR EXISTS (SELECT FROM {schema}.metadata_records AS r WHERE r.record_id = s.record_id AND r.state = 'live'))
ORDER BY s.valid_from LIMIT 10000
