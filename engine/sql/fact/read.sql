-- Purpose: the texts of live facts, as far as the principal may read them. Parameters: facts (ids). Returns: the columns of KnownFact.
SELECT f.fact_id, f.record_id, f.category, f.text, nullif(f.valid_from, '-infinity') AS valid_from, f.confirmations, round(f.importance::numeric, 6)::float8 AS importance
FROM engine.facts_read(%(facts)s::uuid[]) AS f LIMIT 10000
