-- Purpose: how many items a record has brought, those that ended among them, without facts that hold a whole input. Identifier: schema.
-- Parameters: record_id. Returns: items.
SELECT count(*) AS items FROM {schema}.memory_items
WHERE record_id = %(record_id)s AND version_of IS NULL AND category <> 'whole'
