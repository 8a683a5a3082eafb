-- Purpose: waits for whoever changes the item, and keeps others waiting until the end of the transaction; what is read after it is
--   the newest. Identifier: schema. Parameters: subject_id. Returns: nothing of use.
SELECT revision FROM {schema}.memory_items WHERE item_id = %(subject_id)s FOR UPDATE
