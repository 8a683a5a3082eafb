-- Purpose: keeps scanned columns in the row and the rest in TOAST. Identifier: table. Parameters: none. Returns: nothing.
ALTER TABLE {table} ALTER COLUMN short SET STORAGE PLAIN, ALTER COLUMN whole SET STORAGE EXTERNAL
