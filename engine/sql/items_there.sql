-- Purpose: which of these items a node has already. Identifier: schema. Parameters: items (ids). Returns: item_id.
SELECT item_id FROM {schema}.memory_items WHERE item_id = ANY (%(items)s::uuid[])
