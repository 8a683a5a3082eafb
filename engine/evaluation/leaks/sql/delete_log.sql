-- Purpose: tries to empty the audit log, which nobody may: for the leak fuzzer, rolled back. Parameters: none. Returns: nothing.
DELETE FROM engine.access_log
