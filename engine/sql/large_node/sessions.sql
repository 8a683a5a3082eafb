-- Purpose: indexes the places of the items of a node in their sessions. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_sessions ON {schema}.memory_items (session, position)
