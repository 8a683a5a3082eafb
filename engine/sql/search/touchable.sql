-- Purpose: which of these items and records of a node the principal may read. Parameters: schema; ids uuid[]. Returns: id, is_item.
SELECT item_id AS id, true AS is_item FROM {schema}.memory_items WHERE item_id = ANY (%(ids)s)
UNION ALL
SELECT record_id, false FROM {schema}.metadata_records WHERE record_id = ANY (%(ids)s)
