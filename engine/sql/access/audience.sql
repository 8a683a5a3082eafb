-- Purpose: the principals that could see a node at a time. Parameters: node_id, at (null is now). Returns: the columns of Viewer.
SELECT subject_kind, subject_id, subject_name, reason, mode, depth, fields, grant_id, past
FROM engine.audience(%(node_id)s, coalesce(%(at)s, clock_timestamp()))
