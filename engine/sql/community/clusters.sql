-- Purpose: clusters of facts, for the user of the graph, with the facts that are live still; the largest first. Parameters: cluster_id (or null: all), most (facts of each),
--   limit. Returns: cluster_id, size, changed_at, built_at, facts (ids, the strongest first).
SELECT c.cluster_id, m.size, c.changed_at, b.built_at, m.facts[1:%(most)s] AS facts
FROM engine.fact_clusters AS c
JOIN engine.derived_builds AS b ON b.user_id = c.user_id
CROSS JOIN LATERAL (
    SELECT count(*) AS size, array_agg(f.fact_id ORDER BY p.place) AS facts
    FROM unnest(c.facts) WITH ORDINALITY AS p (fact_id, place) JOIN engine.facts AS f ON f.fact_id = p.fact_id AND f.status = 'live') AS m
WHERE m.size > 1 AND (%(cluster_id)s::uuid IS NULL OR c.cluster_id = %(cluster_id)s)
ORDER BY m.size DESC, c.cluster_id LIMIT %(limit)s
