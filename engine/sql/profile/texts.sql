-- Purpose: facts by their ids, for the user of the graph. Parameters: facts (ids). Returns: the columns of KnownFact.
SELECT f.fact_id, f.record_id, f.category, f.text, nullif(f.valid_from, '-infinity') AS valid_from, f.confirmations, round(f.importance::numeric, 6)::float8 AS importance
FROM engine.fact_texts(%(facts)s::uuid[]) AS f LIMIT 10000
