-- Purpose: the best items by meaning × confidence × decay by age, of all that the principal may read.
-- Parameters: as the candidates of a search (user_id, nodes, without, most_nodes, query, version, kinds, sources, scopes, filters, as_of, known_at, now), and
--   days (the age at which an item counts half), confidence (the least one), limit.
-- Returns: the columns of engine.search_decayed, best first; one row without an item where nothing was found.
SELECT d.*
FROM engine.search_decayed(%(user_id)s::uuid, %(nodes)s::uuid[], %(without)s::uuid[], %(most_nodes)s::integer, %(query)s::vector, %(version)s::text,
                           %(days)s::float8, %(confidence)s::float8, %(kinds)s::text[], %(sources)s::text[], %(scopes)s::text[],
                           coalesce(%(as_of)s::timestamptz, %(now)s), %(known_at)s::timestamptz, least(%(as_of)s::timestamptz, %(known_at)s::timestamptz),
                           %(filters)s::jsonb, %(limit)s::integer) AS d
