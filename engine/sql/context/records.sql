-- Purpose: which of some records a context may tell of, by their scopes and sources. Parameters: nodes (where they lie), records (ids), sources (null: all), scopes
--   (beside the user's memory), as_of, known_at (null: the present), earliest (of both, null for the present). Returns: record_id.
SELECT r.record_id
FROM engine.context_records(%(nodes)s::uuid[], %(records)s::uuid[], %(sources)s::text[], %(scopes)s::text[], %(as_of)s::timestamptz,
                            coalesce(%(known_at)s::timestamptz, 'infinity'), %(earliest)s::timestamptz) AS r
LIMIT 10000
