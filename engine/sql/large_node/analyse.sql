-- Purpose: counts the items of a node for the planner, and for what is done with large nodes. Identifier: schema. Parameters: none. Returns: nothing.
ANALYZE {schema}.memory_items
