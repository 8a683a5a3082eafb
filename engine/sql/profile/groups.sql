-- Purpose: the live facts of the user's memory by type or category, for the user alone. Parameters: by ('type' or 'category'), groups, most (facts of each).
-- Returns: name, facts (how many), changed_at, strongest (ids), the largest first.
SELECT g.name, g.facts, g.changed_at, g.strongest FROM engine.fact_groups(%(by)s, %(groups)s::integer, %(most)s::integer) AS g ORDER BY g.facts DESC, g.name LIMIT 1000
