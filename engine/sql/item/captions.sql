-- Purpose: the first words of items, of their own rows. Identifier: schema. Parameters: items (ids). Returns: item_id, content.
SELECT i.item_id, left(i.content, 300) AS content FROM {schema}.memory_items AS i WHERE i.item_id = ANY (%(items)s::uuid[]) LIMIT 10000
