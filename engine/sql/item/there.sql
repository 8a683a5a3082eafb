-- Purpose: which of these items a node has already. Identifier: schema. Parameters: items (ids). Returns: item_id, record_id (of the record that has it).
SELECT item_id, record_id FROM {schema}.memory_items WHERE item_id = ANY (%(items)s::uuid[])
