-- Purpose: says of fresh items to what they belong and how they came in, where that is not the usual. Identifier: schema.
-- Parameters: items (ids), scope, scope_id, source. Returns: nothing.
UPDATE {schema}.memory_items SET scope = %(scope)s, scope_id = %(scope_id)s, source = %(source)s WHERE item_id = ANY (%(items)s::uuid[])
