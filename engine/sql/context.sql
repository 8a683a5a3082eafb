-- name: items
-- Purpose: items by their ids as they were at a moment, for the pieces of a context. Parameters: nodes (where they may lie), items (ids), ended (those of them
--   that may be over), sources (null: all), scopes (beside the user's memory), as_of, known_at (null: the present), earliest (of both, null for the present).
-- Returns: the columns of ContextItem.
SELECT i.item_id, i.record_id, i.node_id, i.kind, i.session, i.position, i.last_position, i.speaker, i.content, i.occurred_at, i.dates, i.section, i.title,
       i.is_question, i.follows_question, i.word_count, nullif(i.valid_from, '-infinity') AS valid_from, i.valid_to,
       CASE WHEN i.kind = 'fact' THEN (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = i.item_id AND a.holds_until <= %(as_of)s::timestamptz) END AS passed
FROM engine.context_items(%(nodes)s::uuid[], %(items)s::uuid[], %(ended)s::uuid[], %(sources)s::text[], %(scopes)s::text[], %(as_of)s::timestamptz,
                          coalesce(%(known_at)s::timestamptz, 'infinity'), %(earliest)s::timestamptz) AS i
LIMIT 10000

-- name: nodes
-- Purpose: the nodes that the principal may read, upper layers first, for a search that the graph does not lead. Parameters: user_id (whose graph), most.
-- Returns: node_id.
SELECT n.node_id FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.state = 'live' ORDER BY n.layer, n.created_at, n.node_id LIMIT %(most)s

-- name: profile
-- Purpose: the strongest facts that say who the user is and what the user prefers, of the memory as a whole; for the user alone. Parameters: most (of each
--   type), now. Returns: fact_id, node_id; those that replaced an older state first, of these and of the others the newest states: what never changes comes last.
WITH strongest AS MATERIALIZED (
    SELECT s.fact_id, g.name FROM engine.fact_groups('type', 100, %(most)s::integer, %(now)s) AS g, unnest(g.strongest) AS s (fact_id)
    WHERE g.name IN ('profile', 'preference')
)
SELECT f.fact_id, f.node_id
FROM strongest AS s JOIN engine.fact_texts(ARRAY(SELECT fact_id FROM strongest)) AS f USING (fact_id)
ORDER BY f.supersedes IS NULL, s.name = 'preference', f.valid_from DESC NULLS LAST, f.confirmations DESC, f.last_confirmed_at DESC NULLS LAST, f.text, f.fact_id LIMIT 1000

-- name: records
-- Purpose: which of some records a context may tell of, by their scopes and sources. Parameters: nodes (where they lie), records (ids), sources (null: all), scopes
--   (beside the user's memory), as_of, known_at (null: the present), earliest (of both, null for the present). Returns: record_id.
SELECT r.record_id
FROM engine.context_records(%(nodes)s::uuid[], %(records)s::uuid[], %(sources)s::text[], %(scopes)s::text[], %(as_of)s::timestamptz,
                            coalesce(%(known_at)s::timestamptz, 'infinity'), %(earliest)s::timestamptz) AS r
LIMIT 10000
