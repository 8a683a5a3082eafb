-- Purpose: the strongest live facts about an entity, for the user of the graph. Parameters: subjects (hashes of its names), limit. Returns: the columns of KnownFact.
SELECT f.fact_id, f.record_id, f.category, f.text, nullif(f.valid_from, '-infinity') AS valid_from, f.confirmations, round(f.importance::numeric, 6)::float8 AS importance
FROM engine.fact_texts(engine.strongest_facts(%(subjects)s::bigint[], %(limit)s::integer)) AS f
ORDER BY f.confirmations DESC, f.importance DESC, f.known_from DESC, f.fact_id LIMIT 1000
