-- Purpose: where chunks that stayed lie in the new version of their document; their meaning and words stay. Identifier: schema.
-- Parameters: items (ids), positions, starts, ends (of the span, in characters), all of one length. Returns: nothing.
UPDATE {schema}.memory_items AS i
SET position = p.position, span = int4range(p.span_start, p.span_end)
FROM unnest(%(items)s::uuid[], %(positions)s::integer[], %(starts)s::integer[], %(ends)s::integer[])
     AS p (item_id, position, span_start, span_end)
WHERE (i.item_id = p.item_id OR i.version_of = p.item_id AND i.known_to IS NULL)
  AND (i.position, i.span) IS DISTINCT FROM (p.position, int4range(p.span_start, p.span_end))
