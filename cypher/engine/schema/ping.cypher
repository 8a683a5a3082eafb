// Purpose: a sign of life. Parameters: none. Returns: one row.
RETURN 1 AS alive
