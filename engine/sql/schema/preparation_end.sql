-- Purpose: gives back what preparation_try took. Parameters: none. Returns: one row, ignored.
SELECT pg_advisory_unlock(hashtextextended('neurigraph preparation', 0))
