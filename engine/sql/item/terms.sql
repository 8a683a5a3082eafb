-- Purpose: the words that an item was stored with, which the counts of its node have. Identifier: schema. Parameters: item_id. Returns: terms.
SELECT terms FROM {schema}.memory_items WHERE item_id = %(item_id)s
