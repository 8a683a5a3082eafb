-- Purpose: how far a version is, summed over one page of nodes. Service only.
-- Parameters: version, after (node_id), most. Returns: rows_in_all, rows_done, last (node_id, the next page's after; null at the end).
SELECT coalesce(sum(p.rows_in_all), 0)::bigint AS rows_in_all, coalesce(sum(p.rows_done), 0)::bigint AS rows_done,
       (array_agg(p.node_id ORDER BY p.node_id DESC))[1] AS last
FROM engine.embedding_progress(%(version)s, %(after)s::uuid, %(most)s::integer) AS p
