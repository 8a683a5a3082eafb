-- Purpose: locks the item until the end of the transaction, after waiting for concurrent changes; what is read after it is
--   the newest. Identifier: schema. Parameters: subject_id. Returns: nothing of use.
SELECT revision FROM {schema}.memory_items WHERE item_id = %(subject_id)s FOR UPDATE
