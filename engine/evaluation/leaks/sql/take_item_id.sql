-- Purpose: tries to give the first item of a node that the asker sees another id: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; see the row count.
UPDATE {schema}.memory_items SET item_id = %(id)s WHERE item_id = (SELECT item_id FROM {schema}.memory_items ORDER BY 1 LIMIT 1)
