-- Purpose: facts with their texts, for the user of the graph, one page by id; or the chain of one with who confirmed it.
-- Parameters: subject (hash), node_id, status (null: any), contradicting, fact_id (null: not a chain), after, limit. Returns: the columns of Fact, confirmations in
--   confirmed_by (records), ordered by id.
SELECT f.fact_id, f.node_id, f.record_id, f.chain_id, f.text, f.category, f.subjects, f.status, f.supersedes, f.ended_by, f.contradicts,
       nullif(f.valid_from, '-infinity') AS valid_from, CASE f.valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00Z'::timestamptz ELSE f.valid_to END AS valid_to,
       f.known_from, f.invalidated_at, f.last_confirmed_at, f.confirmations, f.confirmed_by, f.stale,
       round(f.confidence::numeric, 6)::float8 AS confidence, round(f.importance::numeric, 6)::float8 AS importance, f.access_count, f.last_accessed_at
FROM engine.facts_shown(%(subject)s::bigint, %(node_id)s::uuid, %(status)s::text, %(contradicting)s::boolean, %(fact_id)s::uuid, %(after)s::uuid,
                        %(limit)s::integer) AS f
ORDER BY f.fact_id LIMIT 10000
