-- Purpose: indexes the terms of the items of a node. Identifier: schema. Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memory_items_terms ON {schema}.memory_items USING gin (engine.term_numbers(terms))
