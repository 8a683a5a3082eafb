-- Purpose: lets one process at a time compare or renew the marks of the stores; held to the end of the transaction. Parameters: none.
-- Returns: one row, ignored.
SELECT pg_advisory_xact_lock(hashtextextended('neurigraph installation', 0))
