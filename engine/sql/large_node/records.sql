-- Purpose: indexes the items of a node by their record, for what reads a record again or ends it. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_records ON {schema}.memory_items (record_id)
