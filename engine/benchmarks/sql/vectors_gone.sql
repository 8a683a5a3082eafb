-- Purpose: drops the compression benchmark's tables. Parameters: none. Returns: nothing.
DISCARD TEMP
