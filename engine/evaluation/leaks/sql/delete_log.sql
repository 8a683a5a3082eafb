-- Purpose: tries to empty the audit log (never allowed): for the leak fuzzer, rolled back. Parameters: none. Returns: nothing.
DELETE FROM engine.access_log
