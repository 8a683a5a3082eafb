-- Purpose: chunks of a document by their ids. Identifier: schema. Parameters: items (ids). Returns: item_id, content, section, token_count,
--   content_hash, keywords, span_start, span_end; only those that may be seen.
SELECT i.item_id, i.content, i.section, i.token_count, encode(i.content_hash, 'hex') AS content_hash, i.tags AS keywords,
       lower(i.span) AS span_start, upper(i.span) AS span_end
FROM {schema}.memory_items AS i
WHERE i.item_id = ANY (%(items)s::uuid[]) LIMIT 500
