-- Purpose: chunks of a version of a document in their order. Identifier: schema. Parameters: items (ids in that order), first (index of the
--   first of them), newest (ids of the newest version's chunks). Returns: the columns of DocumentChunk; only those that may be seen.
SELECT i.item_id, (%(first)s::integer + wanted.place - 1)::integer AS index, i.content, i.section, i.token_count,
       encode(i.content_hash, 'hex') AS content_hash, i.tags AS keywords,
       CASE WHEN i.item_id = ANY (%(newest)s::uuid[]) AND lower(i.span) IS NOT NULL THEN ARRAY[lower(i.span), upper(i.span)] END AS span,
       i.item_id <> ALL (%(newest)s::uuid[]) AS superseded
FROM unnest(%(items)s::uuid[]) WITH ORDINALITY AS wanted (item_id, place) JOIN {schema}.memory_items AS i USING (item_id)
ORDER BY wanted.place LIMIT 500
