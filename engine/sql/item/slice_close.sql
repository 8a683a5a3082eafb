-- Purpose: slices of an item are known no longer. Identifier: schema. Parameters: rows, known_to. Returns: nothing.
UPDATE {schema}.memory_items SET known_to = %(known_to)s WHERE item_id = ANY (%(rows)s) AND known_to IS NULL
