-- Purpose: gives a row of an item other terms. Identifier: schema. Service only. Parameters: row_id, terms. Returns: nothing.
UPDATE {schema}.memory_items SET terms = %(terms)b WHERE item_id = %(row_id)s
