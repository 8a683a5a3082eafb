-- Purpose: a table of vectors for the compression benchmark; ends with the connection. Identifiers: table, type.
-- Parameters: none. Returns: nothing.
CREATE TEMPORARY TABLE {table} (place integer NOT NULL, short {type} NOT NULL, whole vector, padding text NOT NULL)
