-- Purpose: items by their ids as they were at a moment, for the pieces of a context. Parameters: nodes (where they may lie), items (ids), ended (those of them
--   that may be over), sources (null: all), scopes (beside the user's memory), as_of, known_at (null: the present), earliest (of both, null for the present).
-- Returns: the columns of ContextItem.
SELECT i.item_id, i.record_id, i.node_id, i.kind, i.session, i.position, i.last_position, i.speaker, i.content, i.occurred_at, i.section, i.title,
       i.is_question, i.follows_question, i.word_count, nullif(i.valid_from, '-infinity') AS valid_from, i.valid_to
FROM engine.context_items(%(nodes)s::uuid[], %(items)s::uuid[], %(ended)s::uuid[], %(sources)s::text[], %(scopes)s::text[], %(as_of)s::timestamptz,
                          coalesce(%(known_at)s::timestamptz, 'infinity'), %(earliest)s::timestamptz) AS i
LIMIT 10000
