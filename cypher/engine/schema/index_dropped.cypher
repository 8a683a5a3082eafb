// Purpose: drops an index that failed or is another than its migration makes. Parameters: name. Returns: nothing.
DROP INDEX $name IF EXISTS
