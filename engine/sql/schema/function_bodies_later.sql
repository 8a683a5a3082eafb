-- Purpose: functions may name what a later migration makes; their bodies are looked at when they are called. To the end of the
-- transaction. Parameters: none. Returns: nothing.
SET LOCAL check_function_bodies = off
