-- Purpose: the facts that records of the user's own statements hold. Identifier: schema. Parameters: records (at most 1,000).
-- Returns: about, fact_type, category, confidence, importance, at, withdrawn.
SELECT i.subjects AS about, i.section AS fact_type, i.category, i.confidence, i.importance, i.occurred_at AS at,
       coalesce(f.status = 'withdrawn', false) AS withdrawn
FROM {schema}.memory_items AS i LEFT JOIN engine.facts AS f ON f.fact_id = i.item_id
WHERE i.record_id = ANY (%(records)s::uuid[]) AND i.kind = 'fact' AND i.version_of IS NULL
