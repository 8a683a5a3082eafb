-- Purpose: one process at a time makes missing normal forms, until its transaction ends. Service only. Parameters: none.
SELECT pg_advisory_xact_lock(hashtextextended('neurigraph look-alikes', 0))
