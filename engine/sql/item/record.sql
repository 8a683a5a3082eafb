-- Purpose: the record of an item. Identifier: schema. Parameters: item_id. Returns: record_id.
SELECT record_id FROM {schema}.memory_items WHERE item_id = %(item_id)s
