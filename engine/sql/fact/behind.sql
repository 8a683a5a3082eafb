-- Purpose: facts of the principal's own graph that are not there as they are now, some or those of `facts`, which then count as carried there and stay locked.
-- Parameters: facts (ids; null: some), most. Returns: row (json of FactRow), text (null: it is no item of its own), subjects, speaker, private (where its record is not), known (carried before).
SELECT to_jsonb(b.fact) - 'graph_revision' || jsonb_build_object('valid_from', nullif((b.fact).valid_from, '-infinity'),
                                              'valid_to', CASE (b.fact).valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00+00:00' ELSE (b.fact).valid_to END) AS row,
       b.text, b.subjects, b.speaker, b.private, b.known
FROM engine.facts_behind(%(facts)s::uuid[], %(most)s::integer) AS b ORDER BY (b.fact).record_id, (b.fact).fact_id LIMIT 10000
