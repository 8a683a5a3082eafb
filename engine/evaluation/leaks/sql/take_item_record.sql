-- Purpose: tries to hang the first item of a node that is there for the asker on another record: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; the count of rows tells.
UPDATE {schema}.memory_items SET record_id = %(id)s WHERE item_id = (SELECT item_id FROM {schema}.memory_items ORDER BY 1 LIMIT 1)
