-- Purpose: the attributes of which live facts speak, for the user of the graph, one page. Parameters: after (key of the last one before, or empty), limit.
-- Returns: the columns of Attribute.
SELECT a.key, a.name, a.kind, a.single, a.facts, a.subjects, a.first_seen_at, a.last_seen_at
FROM engine.attributes_shown(%(after)s::text, %(limit)s::integer) AS a ORDER BY a.key LIMIT 1000
