-- name: excerpts
-- Purpose: the text around places of items, as far as the principal may read them. Parameters: places (json array of {node_id, item_id, start, end}), around
--   (characters on each side). Returns: item_id, text, begins (where the place begins in it), speaker, occurred_at.
SELECT e.item_id, e.text, e.begins, e.speaker, e.occurred_at FROM engine.item_excerpts(%(places)s, %(around)s::integer) AS e LIMIT 1000

-- name: groups
-- Purpose: the live facts of the user's memory by type or category, for the user alone. Parameters: by ('type' or 'category'), groups, most (facts of each), now.
-- Returns: name, facts (how many), changed_at, strongest (ids), the largest first.
SELECT g.name, g.facts, g.changed_at, g.strongest FROM engine.fact_groups(%(by)s, %(groups)s::integer, %(most)s::integer, %(now)s) AS g ORDER BY g.facts DESC, g.name LIMIT 1000

-- name: texts
-- Purpose: facts by their ids, for the user of the graph. Parameters: facts (ids), now. Returns: the columns of KnownFact.
SELECT f.fact_id, f.record_id, f.category, f.text, nullif(f.valid_from, '-infinity') AS valid_from, f.confirmations, round(f.importance::numeric, 6)::float8 AS importance,
       (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.holds_until <= %(now)s) AS passed
FROM engine.fact_texts(%(facts)s::uuid[]) AS f LIMIT 10000
