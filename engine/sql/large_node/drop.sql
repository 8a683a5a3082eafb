-- Purpose: drops an index of a node while it is read. Identifiers: schema, index. Parameters: none. Returns: nothing.
DROP INDEX CONCURRENTLY IF EXISTS {schema}.{index}
