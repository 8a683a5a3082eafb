-- Purpose: tries to be the one process that prepares this database; held until it is given back or the connection ends.
-- Parameters: none. Returns: taken.
SELECT pg_try_advisory_lock(hashtextextended('neurigraph preparation', 0)) AS taken
