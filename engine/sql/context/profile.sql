-- Purpose: the strongest facts that say who the user is and what the user prefers, of the memory as a whole; for the user alone. Parameters: most (of each
--   type). Returns: fact_id, node_id, the strongest first.
WITH strongest AS MATERIALIZED (
    SELECT s.fact_id, s.place, g.name FROM engine.fact_groups('type', 100, %(most)s::integer) AS g, unnest(g.strongest) WITH ORDINALITY AS s (fact_id, place)
    WHERE g.name IN ('profile', 'preference')
)
SELECT f.fact_id, f.node_id
FROM strongest AS s JOIN engine.fact_texts(ARRAY(SELECT fact_id FROM strongest)) AS f USING (fact_id)
ORDER BY s.name = 'preference', s.place, f.fact_id LIMIT 1000
