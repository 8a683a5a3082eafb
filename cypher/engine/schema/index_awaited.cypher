// Purpose: waits until an index that was made is filled: before that, a search of it fails. Parameters: name, seconds. Returns: nothing.
CALL db.awaitIndex($name, $seconds)
