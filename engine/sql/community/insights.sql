-- Purpose: insights, for the user of the graph, those found last first; of those that hold only such whose facts are live. Parameters: kind (or null: all), ended (also those
--   that are over), limit.
-- Returns: the columns of Insight.
SELECT i.insight_id, i.kind, i.text, i.facts, i.relations, i.entities, i.records, i.known_from, i.known_to, i.built_at
FROM engine.insights AS i
WHERE (%(kind)s::text IS NULL OR i.kind = %(kind)s) AND (%(ended)s OR i.known_to IS NULL)
  AND (i.known_to IS NOT NULL OR NOT EXISTS (
      SELECT FROM unnest(i.facts) AS w (fact_id) WHERE NOT EXISTS (SELECT FROM engine.facts AS f WHERE f.fact_id = w.fact_id AND f.status = 'live')))
ORDER BY i.known_from DESC, i.insight_id DESC LIMIT %(limit)s
