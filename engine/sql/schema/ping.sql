-- Purpose: a sign of life. Parameters: none. Returns: one row.
SELECT 1 AS alive
