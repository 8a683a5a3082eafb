-- Purpose: lets one process migrate at a time; held to the end of the transaction. Parameters: none. Returns: one row, ignored.
SELECT pg_advisory_xact_lock(hashtextextended('neurigraph migrations', 0))
