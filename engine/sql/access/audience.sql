-- Purpose: the principals that could see a node at a time. Parameters: node_id, at (null is now). Returns: the columns of Viewer.
SELECT * FROM engine.audience(%(node_id)s, coalesce(%(at)s, clock_timestamp()))
