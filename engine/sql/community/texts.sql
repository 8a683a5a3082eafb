-- Purpose: facts by their ids, for the user of the graph. Parameters: facts (ids). Returns: the columns of Fact.
SELECT f.fact_id, f.node_id, f.record_id, f.chain_id, f.text, f.category, f.subjects, f.status, f.supersedes, f.ended_by, f.contradicts,
       nullif(f.valid_from, '-infinity') AS valid_from, CASE f.valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00Z'::timestamptz ELSE f.valid_to END AS valid_to,
       f.known_from, f.invalidated_at, f.last_confirmed_at, f.confirmations, f.confirmed_by, f.stale,
       round(f.confidence::numeric, 6)::float8 AS confidence, round(f.importance::numeric, 6)::float8 AS importance, f.access_count, f.last_accessed_at
FROM engine.fact_texts(%(facts)s::uuid[]) AS f ORDER BY f.fact_id LIMIT 10000
