-- Purpose: takes the lock of the one process that builds indexes of large nodes, for the session. Parameters: none. Returns: whether it is held.
SELECT pg_try_advisory_lock(hashtext('neurigraph indexes of large nodes')) AS held
