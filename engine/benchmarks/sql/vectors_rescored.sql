-- Purpose: the nearest by one bit a dimension, reordered by the whole vectors. Identifier: table.
-- Parameters: vector, limit, candidates (kept for the second look). Returns: place.
SELECT place
FROM (SELECT place, whole FROM {table} ORDER BY short <~> binary_quantize(%(vector)s::vector) LIMIT %(candidates)s) AS near
ORDER BY whole <#> %(vector)s LIMIT %(limit)s
