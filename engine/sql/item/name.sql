-- Purpose: which entities rows of items name, and which of these they are about, unless their text has changed meanwhile. Identifier: schema.
-- Parameters: rows (json array of item_id, content_hash, entities, about), bare (only rows that name none yet). Returns: nothing.
UPDATE {schema}.memory_items AS i SET entities = r.entities, about = r.about
FROM jsonb_to_recordset(%(rows)s) AS r (item_id uuid, content_hash text, entities integer[], about integer[])
WHERE i.item_id = r.item_id AND i.content_hash = decode(r.content_hash, 'hex')
  AND (i.entities, i.about) IS DISTINCT FROM (r.entities, r.about) AND (NOT %(bare)s OR i.entities = '{{}}')
