-- Purpose: the chains of known facts that are near to new ones, about the same entities or subjects, which stay locked until the end of the transaction.
-- Parameters: lines (json array of {fact, subject, entity or null, at (when it begins, or null), vector}), column, version (of the vectors), most (facts near to each).
-- Returns: row (json of FactRow), schema_name, writable, content (null where it neither is live nor held when a new one begins), place (in its record), likeness (json, by new fact).
WITH near AS MATERIALIZED (SELECT * FROM engine.facts_near(%(lines)s, %(column)s, %(version)s, %(most)s)),
     chained AS MATERIALIZED (SELECT * FROM engine.facts_chained(ARRAY(SELECT near.fact_id FROM near))),
     compared AS MATERIALIZED (
         SELECT * FROM near UNION ALL
         SELECT * FROM engine.facts_held(ARRAY(SELECT (c.fact).fact_id FROM chained AS c WHERE (c.fact).status IN ('superseded', 'invalidated')),
                                         %(lines)s, %(column)s, %(version)s))
SELECT to_jsonb(c.fact) - 'graph_revision' || jsonb_build_object('valid_from', nullif((c.fact).valid_from, '-infinity'),
                                              'valid_to', CASE (c.fact).valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00+00:00' ELSE (c.fact).valid_to END) AS row,
       c.schema_name, c.writable, t.content, t.place, t.likeness
FROM chained AS c LEFT JOIN compared AS t ON t.fact_id = (c.fact).fact_id
LIMIT 100000
