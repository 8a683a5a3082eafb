-- Purpose: counts a change of an item. Identifier: schema. Parameters: subject_id, revision. Returns: nothing.
UPDATE {schema}.memory_items SET revision = %(revision)s WHERE item_id = %(subject_id)s
