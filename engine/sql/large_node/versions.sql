-- Purpose: indexes the slices of the items of a node by their item, for changes of what was changed before. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_versions ON {schema}.memory_items (version_of) WHERE version_of IS NOT NULL
