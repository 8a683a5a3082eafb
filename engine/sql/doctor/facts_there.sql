-- Purpose: which of these facts there are. Service only. Parameters: facts (ids). Returns: fact_id.
SELECT f.fact_id FROM engine.facts AS f WHERE f.fact_id = ANY (%(facts)s::uuid[]) LIMIT 10000
