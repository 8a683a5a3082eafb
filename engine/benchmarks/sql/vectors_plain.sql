-- Purpose: keeps what is scanned in the row and the rest beside it. Identifier: table. Parameters: none. Returns: nothing.
ALTER TABLE {table} ALTER COLUMN short SET STORAGE PLAIN, ALTER COLUMN whole SET STORAGE EXTERNAL
