-- Purpose: facts of records, or some facts, with all that stands in their chains or is linked with them. Parameters: records, facts (ids), hold (whether
--   their subjects stay locked until the end of the transaction). Returns: row (json of FactRow), schema_name.
SELECT to_jsonb(c.fact) - 'graph_revision' || jsonb_build_object('valid_from', nullif((c.fact).valid_from, '-infinity'),
                                              'valid_to', CASE (c.fact).valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00+00:00' ELSE (c.fact).valid_to END) AS row,
       c.schema_name
FROM engine.facts_around(%(records)s::uuid[], %(facts)s::uuid[], %(hold)s::boolean) AS c
LIMIT 100000
