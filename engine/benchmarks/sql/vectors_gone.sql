-- Purpose: takes the compression benchmark's tables away. Parameters: none. Returns: nothing.
DISCARD TEMP
